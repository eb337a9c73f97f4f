/** A service in a process of its own, so that its work is not in what is measured of n8n. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** What was asked since it was told for the last time */
export interface Told {
	baseUrl: string;
	requests: number;
	bytes: number;
	submitted: string[];
}

/** How long the service takes to store a response */
const STORE_MS = 20;

/** So that each day has 500 */
const INTERVAL_MS = 86_400_000 / 500;

const createdAt = (i: number) => new Date(Date.UTC(2020, 0, 1) + i * INTERVAL_MS).toISOString();

/** The last 500 of so many responses were created from then on. */
export const lastDayOf = (count: number) => createdAt(count - 500);

const eightDigits = (i: number) => String(i).padStart(8, '0');

/** About 500 bytes of JSON */
const response = (form_id: string, i: number) => ({
	id: `5e1f7a52-4c0d-4b6e-9d3a-0000${eightDigits(i)}`,
	form_id,
	answers: {
		full_name: `Ana-Maria Țurcanu ${eightDigits(i)}`,
		email: `ana.turcanu.${eightDigits(i)}@example.com`,
		company: 'Plain Paper Co.',
		topics: i % 3 === 0 ? ['Support', 'Sales'] : ['Support'],
		message:
			'We would like to resell your "folded" product in Northern Europe.\nPlease send us terms, ' +
			'a price list and two samples to the address on our website.',
		heard_about_us: 'A friend',
	},
	created_at: createdAt(i),
	pixel_fired: i % 2 === 0,
});

const lists = new Map<string, Buffer>();

/** `form-1000` has 1,000 responses. */
function listOf(formId: string): Buffer {
	const known = lists.get(formId);
	if (known) return known;
	const count = Number(/^form-(\d+)$/.exec(formId)?.[1] ?? 0);
	const responses = Array.from({ length: count }, (_, i) => response(formId, i));
	const list = Buffer.from(JSON.stringify({ responses }));
	lists.set(formId, list);
	return list;
}

const told: Told = { baseUrl: '', requests: 0, bytes: 0, submitted: [] };

function* pieces(answer: Buffer) {
	for (let start = 0; start < answer.length; start += 65_536) {
		const piece = answer.subarray(start, start + 65_536);
		told.bytes += piece.length;
		yield piece;
	}
}

const server = createServer(async (request, reply) => {
	const { searchParams } = new URL(request.url ?? '', 'http://localhost');
	const body = request.method === 'POST' ? await text(request) : '';
	if (body) await sleep(STORE_MS);
	if (body) told.submitted.push(body);
	const answer = body
		? Buffer.from(JSON.stringify({ success: true, response_id: `r${told.submitted.length}` }))
		: listOf(searchParams.get('form_id') ?? '');
	told.requests++;
	reply.setHeader('Content-Type', 'application/json');
	// Whoever has enough may close the connection.
	await pipeline(pieces(answer), reply).catch(() => undefined);
});

if (process.send) {
	server.listen(0, '127.0.0.1', () => {
		told.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
		process.send?.(told);
	});
	process.on('message', () => {
		process.send?.(told);
		Object.assign(told, { requests: 0, bytes: 0, submitted: [] });
	});
	process.on('disconnect', () => process.exit());
}
