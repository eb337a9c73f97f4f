/** The sandbox in a process of its own, so that its work is not in what is measured of n8n. */
import {
	startSandbox,
	type LoggedRequest,
	type Sandbox,
	type SandboxForm,
	type SandboxResponse,
} from '../../sandbox';
import { createdAt, emailOf, idOf, INBOX } from './lists';

export interface Order {
	/** The form is made with so many responses. */
	fill?: { formId: string; count: number };
	/** So many more come in. */
	add?: { formId: string; count: number };
	createDelayMs?: number;
	/** What was asked since it was asked for the last time */
	takeLog?: boolean;
}

export interface Answer {
	baseUrl: string;
	apiKey: string;
	log?: Pick<LoggedRequest, 'route' | 'body' | 'sentBytes' | 'at'>[];
}

const END = Buffer.from(']}');

function form(id: string): SandboxForm {
	return { id, title: id, slug: id, status: 'published', created_at: createdAt(0) };
}

/** About 500 bytes of JSON */
function response(formId: string, i: number): SandboxResponse {
	return {
		id: idOf(i),
		form_id: formId,
		answers: {
			full_name: `Ana-Maria Țurcanu ${String(i).padStart(8, '0')}`,
			email: emailOf(i),
			company: 'Plain Paper Co.',
			topics: i % 3 === 0 ? ['Support', 'Sales'] : ['Support'],
			message:
				'We would like to resell your "folded" product in Northern Europe.\nPlease send us terms, ' +
				'a price list and two samples to the address on our website.',
			heard_about_us: 'A friend',
		},
		created_at: createdAt(i),
		pixel_fired: i % 2 === 0,
	};
}

function listOf(formId: string, from: number, count: number): Buffer {
	// In pieces: no string can hold the longest list.
	const pieces: Buffer[] = [];
	for (let start = from; start < from + count; start += 10_000) {
		const length = Math.min(10_000, from + count - start);
		const texts = Array.from({ length }, (_, i) => JSON.stringify(response(formId, start + i)));
		pieces.push(Buffer.from((start === 0 ? '' : ',') + texts.join()));
	}
	return Buffer.concat(pieces);
}

const counts = new Map<string, number>();

function fill(sandbox: Sandbox, formId: string, count: number): void {
	if (counts.has(formId)) return;
	sandbox.forms.push(form(formId));
	const list = listOf(formId, 0, count);
	sandbox.bodies.set(formId, Buffer.concat([Buffer.from('{"responses":['), list, END]));
	counts.set(formId, count);
}

function add(sandbox: Sandbox, formId: string, count: number): void {
	const before = counts.get(formId) ?? 0;
	const body = sandbox.bodies.get(formId) ?? Buffer.alloc(0);
	const list = listOf(formId, before, count);
	sandbox.bodies.set(formId, Buffer.concat([body.subarray(0, -END.length), list, END]));
	counts.set(formId, before + count);
}

function obey(sandbox: Sandbox, order: Order): Answer {
	if (order.fill) fill(sandbox, order.fill.formId, order.fill.count);
	if (order.add) add(sandbox, order.add.formId, order.add.count);
	if (order.createDelayMs !== undefined) sandbox.settings.createDelayMs = order.createDelayMs;
	const { baseUrl, apiKey } = sandbox;
	if (!order.takeLog) return { baseUrl, apiKey };
	const log = sandbox.log
		.splice(0)
		.map(({ route, body, sentBytes, at }) => ({ route, body, sentBytes, at }));
	sandbox.responses.length = 0;
	return { baseUrl, apiKey, log };
}

async function main(): Promise<void> {
	const sandbox = await startSandbox({ forms: [form(INBOX)], responses: [] });
	process.on('message', (order: Order) => process.send?.(obey(sandbox, order)));
	process.on('disconnect', () => process.exit());
	process.send?.('ready');
}

void main();
