import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ToolCall {
	name: string;
	input: object;
}

/** What the model answers: tools to call, or what it says. */
export type Answer = ToolCall[] | string;

interface Message {
	role: string;
	content: string;
}

interface ChatRequest {
	messages: Message[];
	tools: { function: { name: string; description: string; parameters: object } }[];
	stream?: boolean;
}

/** Stands in for the vendor of a model: OpenAI's chat completions, answered from a script. */
export class Model {
	/** What is still to be answered, one entry for each request */
	readonly script: Answer[] = [];

	/** What was sent to the model */
	readonly requests: ChatRequest[] = [];

	private calls = 0;

	private readonly server = createServer((request, response) => void this.serve(request, response));

	static async start(): Promise<Model> {
		const model = new Model();
		model.server.listen(0, '127.0.0.1');
		await once(model.server, 'listening');
		return model;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
	}

	/** What the model has received for each call so far, as an agent writes it: in JSON. */
	toolResults(): unknown[] {
		const messages = this.requests.at(-1)?.messages ?? [];
		return messages
			.filter(({ role }) => role === 'tool')
			.map(({ content }) => JSON.parse(content) as unknown);
	}

	reset(): void {
		this.script.length = 0;
		this.requests.length = 0;
	}

	async stop(): Promise<void> {
		this.server.close();
		this.server.closeAllConnections();
		await once(this.server, 'close');
	}

	private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const body = await text(request);
		const reply = (status: number, content: object) => {
			response.writeHead(status, { 'Content-Type': 'application/json' });
			response.end(JSON.stringify(content));
		};
		if (`${request.method} ${request.url}` !== 'POST /v1/chat/completions') {
			// n8n's Agents try another route first. If this said "model", they would not go on to the one above.
			reply(404, { error: { message: `${request.method} ${request.url} is not served` } });
			return;
		}
		const asked = JSON.parse(body) as ChatRequest;
		this.requests.push(asked);
		const answer = this.script.shift();
		if (answer === undefined) {
			reply(400, { error: { message: 'The script has ended' } });
		} else if (asked.stream === true) {
			response.writeHead(200, { 'Content-Type': 'text/event-stream' });
			response.end(`data: ${JSON.stringify(this.chunk(answer))}\n\ndata: [DONE]\n\n`);
		} else {
			reply(200, this.completion(answer));
		}
	}

	/** The whole answer at once, for who asks for it piece by piece. */
	private chunk(answer: Answer): object {
		const completion = this.completion(answer);
		const choices = completion.choices.map(({ message, ...choice }) => ({
			...choice,
			delta: {
				...message,
				tool_calls: message.tool_calls?.map((call, index) => ({ index, ...call })),
			},
		}));
		return { ...completion, object: 'chat.completion.chunk', choices };
	}

	private completion(answer: Answer) {
		const isText = typeof answer === 'string';
		const message = isText
			? { content: answer, tool_calls: undefined }
			: { content: null, tool_calls: answer.map((call) => this.toolCall(call)) };
		return {
			id: `chatcmpl-${this.requests.length}`,
			object: 'chat.completion',
			created: 0,
			model: 'scripted',
			choices: [
				{
					index: 0,
					finish_reason: isText ? 'stop' : 'tool_calls',
					message: { role: 'assistant', ...message },
				},
			],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	}

	/** With an ID of its own, also if the call is the same as before: so do the models. */
	private toolCall({ name, input }: ToolCall): object {
		const id = `call_${(this.calls += 1)}`;
		return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
	}
}
