import type { Response } from 'express';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { errorBody, refusals, type Refusal } from './choices';
import type { Fault } from './faults';
import type { LoggedRequest } from './log';

export interface Reply {
	status: number;
	headers?: Record<string, string>;
	body: string | Buffer;
}

export function jsonReply(status: number, value: unknown): Reply {
	return { status, body: JSON.stringify(value) };
}

export function refuse(code: Refusal, message?: string, headers?: Record<string, string>): Reply {
	return { status: refusals[code].status, headers, body: errorBody(code, message) };
}

/** What a fault answers in place of the real reply, if it does. */
export function faultReply(fault: Fault): Reply | undefined {
	const { status, body, redirectTo } = fault;
	if (redirectTo !== undefined) {
		return { status: status ?? 302, headers: { Location: redirectTo }, body: '' };
	}
	if (status === undefined && body === undefined) return undefined;
	return {
		status: status ?? 200,
		body: typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body),
	};
}

/** Sends the reply, bent by the fault. */
export async function send(res: Response, entry: LoggedRequest, reply: Reply, fault: Fault = {}) {
	const body = fault.gzip ? gzipSync(reply.body) : bytesOf(reply);
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
	if (body.length === 0) entry.status = reply.status;
	// A pipeline writes no faster than the caller reads, so the log can tell how much a caller took.
	await pipeline(
		cutUp(body, pieces, pauseMs, () => (entry.status = reply.status)),
		res,
	).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
	});
}

function bytesOf({ body }: Reply): Buffer {
	return typeof body === 'string' ? Buffer.from(body) : body;
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
