import express, { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { createdStatus, maximumBody } from './choices';
import { faultReply, jsonReply, refuse, type Reply, send } from './reply';
import type { Faults } from './faults';
import { type LoggedRequest, logRequest } from './log';
import type { Answer } from './records';
import type { Settings, Store } from './store';

interface Service {
	/** By key */
	accounts: ReadonlyMap<string, Store>;
	settings: Settings;
	log: LoggedRequest[];
	faults: Faults;
}

type Endpoint = (store: Store, request: LoggedRequest) => Reply | Promise<Reply>;

const endpoints: Record<string, Endpoint> = {
	'GET /forms': (store) => jsonReply(200, { forms: store.forms }),
	'GET /responses': listResponses,
	'POST /responses': createResponse,
};

export function apiRouter(service: Service): Router {
	const router = Router();
	router.use((req, res, next) => {
		res.locals.entry = logRequest(service.log, req, res);
		const { clockOffsetMs } = service.settings;
		if (clockOffsetMs !== 0) {
			res.setHeader('Date', new Date(Date.now() + clockOffsetMs).toUTCString());
		}
		next();
	});
	// Read as text: the log shows what came even if it is not JSON.
	router.use(express.text({ type: () => true, limit: maximumBody }));
	router.use((req, res) => serve(service, req, res));
	router.use(unreadable);
	return router;
}

async function serve(service: Service, req: Request, res: Response) {
	const entry = res.locals.entry as LoggedRequest;
	readBody(entry, req.body);
	const fault = service.faults.take(entry);
	entry.fault = fault;
	let reply = fault?.stored ? await answer(service, entry) : undefined;
	// Unref'd like every pause here: a stopped sandbox must not keep the process alive.
	if (fault?.delayMs) await sleep(fault.delayMs, undefined, { ref: false });
	if (fault?.held) await service.faults.cleared();
	if (fault?.hang === true) return;
	if (fault?.cut === 'connection') {
		res.locals.cut = true;
		res.destroy();
		return;
	}
	reply = (fault && faultReply(fault)) ?? reply ?? (await answer(service, entry));
	await send(res, entry, reply, fault);
}

function readBody(entry: LoggedRequest, text: unknown) {
	if (typeof text !== 'string' || text === '') return;
	try {
		entry.body = JSON.parse(text);
	} catch {
		entry.body = text;
	}
	if (isObject(entry.body) && typeof entry.body.form_id === 'string') {
		entry.formId = entry.body.form_id;
	}
}

async function answer({ accounts }: Service, request: LoggedRequest): Promise<Reply> {
	const key = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
	const store = accounts.get(key);
	if (store === undefined) {
		return refuse('unauthorized', undefined, { 'WWW-Authenticate': 'Bearer' });
	}
	const comeBack = store.countRequest();
	if (comeBack) return refuse('rate_limited', undefined, retryAfter(store, comeBack));

	const endpoint = endpoints[request.route];
	if (endpoint) return await endpoint(store, request);
	const path = request.route.split(' ')[1];
	const methods = Object.keys(endpoints)
		.map((route) => route.split(' '))
		.filter((route) => route[1] === path)
		.map((route) => route[0]);
	if (methods.length === 0) return refuse('not_found');
	return refuse('method_not_allowed', undefined, { Allow: methods.join(', ') });
}

function retryAfter(store: Store, comeBack: Date): Record<string, string> {
	const { retryAfter: style } = store.settings;
	if (style === 'none') return {};
	if (style === 'date') return { 'Retry-After': comeBack.toUTCString() };
	return { 'Retry-After': String(Math.ceil((comeBack.getTime() - Date.now()) / 1_000)) };
}

function listResponses(store: Store, { formId, headers }: LoggedRequest): Reply {
	if (!formId) return refuse('missing_form_id');
	if (!store.forms.some((form) => form.id === formId)) return refuse('form_not_found');
	const ready = store.bodies.get(formId);
	if (ready) return { status: 200, body: ready };
	const responses = store.responses.filter((response) => response.form_id === formId);
	const reply = jsonReply(200, { responses });
	if (store.settings.validator === 'etag') {
		const etag = `"${createHash('sha1').update(reply.body).digest('hex')}"`;
		return conditionalReply(headers['if-none-match'] === etag, reply, { ETag: etag });
	}
	if (store.settings.validator === 'lastModified') {
		const newest = Math.max(0, ...responses.map(({ created_at }) => Date.parse(created_at)));
		const date = new Date(newest).toUTCString();
		return conditionalReply(headers['if-modified-since'] === date, reply, {
			'Last-Modified': date,
		});
	}
	return reply;
}

function conditionalReply(
	isUnchanged: boolean,
	reply: Reply,
	headers: Record<string, string>,
): Reply {
	return isUnchanged ? { status: 304, headers, body: '' } : { ...reply, headers };
}

async function createResponse(store: Store, { headers, body }: LoggedRequest): Promise<Reply> {
	if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) {
		return refuse('unsupported_media_type');
	}
	if (typeof body === 'string' || body === undefined) return refuse('invalid_json');
	if (!isObject(body) || typeof body.form_id !== 'string') {
		return refuse('invalid_response', 'form_id must be a string.');
	}
	const { form_id: formId, answers } = body;
	if (!isObject(answers)) return refuse('invalid_response', 'answers must be an object.');
	for (const [key, value] of Object.entries(answers)) {
		if (isAnswer(value)) continue;
		return refuse(
			'invalid_response',
			`The answer "${key}" must be a string or an array of strings.`,
		);
	}
	if (!store.forms.some((form) => form.id === formId)) return refuse('form_not_found');

	await sleep(store.settings.createDelayMs, undefined, { ref: false });
	const { id } = store.addResponse(formId, answers as Record<string, Answer>);
	return jsonReply(createdStatus, { success: true, response_id: id });
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAnswer(value: unknown): value is Answer {
	return (
		typeof value === 'string' ||
		(Array.isArray(value) && value.every((part) => typeof part === 'string'))
	);
}

const unreadable: ErrorRequestHandler = async (error: { type?: string }, _req, res, next) => {
	if (error.type === 'request.aborted') return;
	if (res.headersSent) return next(error);
	const code = error.type === 'entity.too.large' ? 'body_too_large' : 'invalid_json';
	await send(res, res.locals.entry as LoggedRequest, refuse(code));
};
