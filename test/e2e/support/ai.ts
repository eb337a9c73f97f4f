import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import type { Workflow, WorkflowNode } from '../../../playground/n8nClient';
import { until } from '../../../playground/run';
import { readExamples, using } from '../../../playground/workflows';
import { listen } from '../../support/listen';
import type { Bench } from './bench';

export interface ToolCall {
	name: string;
	input: object;
}

interface ChatRequest {
	messages: { role: string; content: string }[];
	tools: { function: { name: string; description: string; parameters: object } }[];
	stream?: boolean;
}

/** Stands in for the vendor of a model: OpenAI's chat completions, answered from a script. */
export class Model {
	/** What is still to be answered, one entry for each request: a tool to call, or what the model says. */
	readonly script: (ToolCall | string)[] = [];

	readonly requests: ChatRequest[] = [];

	url = '';

	private calls = 0;

	private readonly server = createServer((request, response) => void this.serve(request, response));

	static async start(): Promise<Model> {
		const model = new Model();
		model.url = `http://127.0.0.1:${await listen(model.server)}/v1`;
		return model;
	}

	/** What the model has received for each call so far. */
	toolResults(): unknown[] {
		const messages = this.requests.at(-1)?.messages ?? [];
		return messages
			.filter(({ role }) => role === 'tool')
			.map(({ content }) => JSON.parse(content) as unknown);
	}

	stop(): void {
		this.server.close();
		this.server.closeAllConnections();
	}

	private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const body = await text(request);
		const reply = (status: number, content: object) => {
			response.writeHead(status, { 'Content-Type': 'application/json' });
			response.end(JSON.stringify(content));
		};
		if (`${request.method} ${request.url}` !== 'POST /v1/chat/completions') {
			// n8n's Agents try another route first. If this said "model", they would not go on to the one above.
			return reply(404, { error: { message: `${request.method} ${request.url} is not served` } });
		}
		const asked = JSON.parse(body) as ChatRequest;
		this.requests.push(asked);
		const answer = this.script.shift();
		if (answer === undefined) return reply(400, { error: { message: 'The script has ended' } });
		const message = this.message(answer);
		const finish_reason = typeof answer === 'string' ? 'stop' : 'tool_calls';
		const completion = (object: string, choice: object) => ({
			id: `chatcmpl-${this.requests.length}`,
			object,
			created: 0,
			model: 'scripted',
			choices: [{ index: 0, finish_reason, ...choice }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		});
		if (!asked.stream) return reply(200, completion('chat.completion', { message }));
		// The whole answer is one piece.
		const chunk = completion('chat.completion.chunk', { delta: message });
		response.writeHead(200, { 'Content-Type': 'text/event-stream' });
		response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
	}

	private message(answer: ToolCall | string): object {
		if (typeof answer === 'string') return { role: 'assistant', content: answer };
		// Also if the call is the same as before, it has an ID of its own.
		const id = `call_${(this.calls += 1)}`;
		const called = { name: answer.name, arguments: JSON.stringify(answer.input) };
		const tool_calls = [{ index: 0, id, type: 'function', function: called }];
		return { role: 'assistant', content: null, tool_calls };
	}
}

const TOKEN = 'a-long-text-that-only-the-client-knows';

let nextPath = 0;

/** The example "MCP server", in which this may change something. */
export async function mcpExample(
	{ credential, sandbox }: Bench,
	changeTool: (tool: WorkflowNode) => void = () => undefined,
): Promise<Workflow> {
	const examples = await readExamples(credential, sandbox.url);
	const example = examples.find(({ name }) => name === 'Form Collection: MCP server')!;
	example.nodes.filter(({ type }) => type.endsWith('Tool')).forEach(changeTool);
	return example;
}

/** An application that would let a model choose the calls. */
export class McpClient {
	/** Everything that came from the server */
	readonly received: string[] = [];

	private constructor(private readonly client: Client) {}

	/** Publishes the MCP server at an address of its own, and connects to it. */
	static async connect(bench: Bench, server: Workflow): Promise<McpClient> {
		const path = `mcp-${(nextPath += 1)}`;
		const trigger = server.nodes.find(({ name }) => name === 'MCP Server')!;
		trigger.parameters['path'] = path;
		trigger.credentials = using(
			await bench.client.createCredential(path, 'httpBearerAuth', { token: TOKEN }),
		);
		await bench.publish({ ...server, name: path });

		const url = new URL(`${bench.url}/mcp/${path}`);
		const requestInit = { headers: { Authorization: `Bearer ${TOKEN}` } };
		// n8n registers the address up to a second after the workflow is published.
		const connected = await until(`${url.href} answers`, async () => {
			const client = new Client({ name: 'form-collection-e2e', version: '1.0.0' });
			try {
				await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
				return client;
			} catch (error) {
				if (String(error).includes('not registered')) return undefined;
				throw error;
			}
		});
		return new McpClient(connected);
	}

	async tools() {
		const { tools } = await this.client.listTools();
		this.received.push(JSON.stringify(tools));
		return tools;
	}

	/** What the tool puts out, one record for each item, or the error. */
	async call({ name, input }: ToolCall): Promise<Record<string, unknown>[]> {
		const result = await this.client.callTool({ name, arguments: { ...input } });
		const words = (result.content as { text: string }[]).map((part) => part.text).join('\n');
		this.received.push(words);
		if (result.isError === true) return [{ error: words }];
		return JSON.parse(words) as Record<string, unknown>[];
	}

	close = async () => await this.client.close();
}
