import type { Response } from 'express';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import type { Fault } from './faults';
import type { LoggedRequest } from './log';

export interface Reply {
	status: number;
	headers?: Record<string, string>;
	body: string;
}

/**
 * The API reference names no status codes and error bodies. These are the sandbox's own choice, and no client
 * may rely on them.
 */
const refusals = {
	unauthorized: { status: 401, message: 'The API key is missing or not valid.' },
	rate_limited: { status: 429, message: 'The hourly limit of your plan is used up.' },
	invalid_json: { status: 400, message: 'The request body is not valid JSON.' },
	missing_form_id: { status: 400, message: 'The query parameter form_id is missing.' },
	invalid_response: { status: 422, message: 'The response is not valid.' },
	form_not_found: { status: 404, message: 'There is no form with this id.' },
	not_found: { status: 404, message: 'There is no such endpoint.' },
	body_too_large: { status: 413, message: 'The request body is larger than 50 MB.' },
	unsupported_media_type: { status: 415, message: 'The request body must be application/json.' },
};

export function jsonReply(status: number, value: unknown): Reply {
	return { status, body: JSON.stringify(value) };
}

export function refuse(
	code: keyof typeof refusals,
	message = refusals[code].message,
	headers?: Record<string, string>,
): Reply {
	return { ...jsonReply(refusals[code].status, { error: { code, message } }), headers };
}

/** What a fault answers in place of the real reply, if it does. */
export function faultReply({ status, body, redirectTo }: Fault): Reply | undefined {
	if (redirectTo !== undefined) {
		return { status: status ?? 302, headers: { Location: redirectTo }, body: '' };
	}
	if (status === undefined && body === undefined) return undefined;
	const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
	return { status: status ?? 200, body: text };
}

/** Sends the reply, bent by the fault. */
export async function send(res: Response, entry: LoggedRequest, reply: Reply, fault: Fault = {}) {
	const body = fault.gzip ? gzipSync(reply.body) : Buffer.from(reply.body);
	res.status(reply.status);
	res.setHeader('Content-Type', 'application/json; charset=utf-8');
	res.setHeader('Content-Length', body.length);
	if (fault.gzip) res.setHeader('Content-Encoding', 'gzip');
	for (const [name, value] of Object.entries({ ...reply.headers, ...fault.headers })) {
		res.setHeader(name, value);
	}

	const firstHalf = body.subarray(0, Math.ceil(body.length / 2));
	if (fault.hang === 'body') {
		res.write(firstHalf);
		return;
	}
	if (fault.cut === 'body') {
		res.locals.cut = true;
		res.write(firstHalf, () => res.destroy());
		return;
	}
	const pieces = fault.slowBodyMs === undefined ? Math.ceil(body.length / 65_536) : 20;
	const pauseMs = (fault.slowBodyMs ?? 0) / 20;
	const onLast = () => (entry.status = reply.status);
	if (body.length === 0) onLast();
	// A pipeline writes no faster than the caller reads, so the log can tell how much a caller took.
	await pipeline(cutUp(body, pieces, pauseMs, onLast), res).catch(
		(error: NodeJS.ErrnoException) => {
			if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
		},
	);
}

async function* cutUp(body: Buffer, pieces: number, pauseMs: number, beforeLast: () => void) {
	const size = Math.max(1, Math.ceil(body.length / pieces));
	for (let start = 0; start < body.length; start += size) {
		if (pauseMs > 0) await sleep(pauseMs, undefined, { ref: false });
		// Not after it: the caller has everything then, and may look into the log at once.
		if (start + size >= body.length) beforeLast();
		yield body.subarray(start, start + size);
	}
}
