import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';

import { readExamples } from '../../../playground/examples';
import type { Workflow, WorkflowNode } from '../../../playground/n8nClient';
import type { Playground } from '../../../playground/playground';
import { until } from '../../../playground/until';
import { using } from '../../../playground/workflows';

const TOKEN = 'a-long-text-that-only-the-client-knows';
const MOST_SHOWN = 700;

let nextPath = 0;

type McpHost = Pick<Playground, 'client' | 'credential' | 'sandbox'> & { n8n: { url: string } };

/** Publishes the example "MCP server" at an address of its own, and returns that. */
export async function publishMcpServer(
	{ client, credential, sandbox, n8n }: McpHost,
	changeTool: (tool: WorkflowNode) => void = () => undefined,
	changeExample: (example: Workflow) => void = () => undefined,
): Promise<string> {
	const path = `mcp-${(nextPath += 1)}`;
	const examples = await readExamples(credential, sandbox.url);
	const example = examples.find(({ name }) => name === 'Form Collection: MCP server')!;
	const trigger = example.nodes.find(({ name }) => name === 'MCP Server')!;
	trigger.parameters['path'] = path;
	trigger.credentials = using(
		await client.createCredential(path, 'httpBearerAuth', { token: TOKEN }),
	);
	example.nodes.filter(({ type }) => type.endsWith('Tool')).forEach(changeTool);
	changeExample(example);
	await client.activateWorkflow(await client.createWorkflow({ ...example, name: path }));
	return `${n8n.url}/mcp/${path}`;
}

/** An application that would let a model choose the calls. */
export class McpClient {
	/** Everything that came from the server. */
	readonly received: string[] = [];

	/** What was asked and what came back, long texts cut. */
	readonly transcript: string[] = [];

	private constructor(private readonly client: Client) {}

	static async connect(url: string, token = TOKEN): Promise<McpClient> {
		const requestInit = { headers: { Authorization: `Bearer ${token}` } };
		// n8n registers the address up to a second after the workflow is published.
		const client = await until(`${url} answers`, async () => {
			const candidate = new Client({ name: 'form-collection-e2e', version: '1.0.0' });
			try {
				await candidate.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
				return candidate;
			} catch (error) {
				if (String(error).includes('not registered')) return undefined;
				throw error;
			}
		});
		return new McpClient(client);
	}

	instructions(): string | undefined {
		const instructions = this.client.getInstructions();
		this.note('instructions', instructions ?? '');
		return instructions;
	}

	async tools(): Promise<Tool[]> {
		const { tools } = await this.client.listTools();
		for (const tool of tools) this.note('tool', JSON.stringify(tool, null, 2), Infinity);
		return tools;
	}

	async call(name: string, input: object = {}): Promise<{ isError: boolean; text: string }> {
		this.transcript.push(`call: ${name} ${JSON.stringify(input)}`);
		const result = await this.client.callTool({ name, arguments: { ...input } });
		const isError = result.isError === true;
		const text = (result.content as { text: string }[]).map((part) => part.text).join('\n');
		this.note(isError ? 'error' : 'result', text);
		return { isError, text };
	}

	/** What the tool puts out, one record for each item. */
	async records(name: string, input?: object): Promise<Record<string, unknown>[]> {
		const { isError, text } = await this.call(name, input);
		if (isError) throw new Error(text);
		return JSON.parse(text) as Record<string, unknown>[];
	}

	close = async () => await this.client.close();

	private note(what: string, text: string, mostShown = MOST_SHOWN): void {
		this.received.push(text);
		const rest = text.length > mostShown ? ` … (${text.length} characters)` : '';
		this.transcript.push(`${what}: ${text.slice(0, mostShown)}${rest}`);
	}
}
