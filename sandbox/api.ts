import express, { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Faults } from './faults';
import { type LoggedRequest, logRequest } from './log';
import type { Answer } from './records';
import { faultReply, jsonReply, refuse, type Reply, send } from './reply';
import type { Store } from './store';

interface Service {
	/** By key */
	accounts: ReadonlyMap<string, Store>;
	log: LoggedRequest[];
	faults: Faults;
}

export function apiRouter(service: Service): Router {
	const router = Router();
	router.use((req, res, next) => {
		res.locals.entry = logRequest(service.log, req, res);
		next();
	});
	// Read as text: the log shows what came even if it is not JSON.
	router.use(express.text({ type: () => true, limit: '50mb' }));
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
	if (comeBack) {
		const seconds = Math.ceil((comeBack.getTime() - Date.now()) / 1_000);
		return refuse('rate_limited', undefined, { 'Retry-After': String(seconds) });
	}
	if (request.route === 'GET /forms') return jsonReply(200, { forms: store.forms });
	if (request.route === 'GET /responses') return listResponses(store, request);
	if (request.route === 'POST /responses') return await createResponse(store, request);
	return refuse('not_found');
}

function listResponses(store: Store, { formId }: LoggedRequest): Reply {
	if (!formId) return refuse('missing_form_id');
	if (!store.forms.some((form) => form.id === formId)) return refuse('form_not_found');
	const responses = store.responses.filter((response) => response.form_id === formId);
	return jsonReply(200, { responses });
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
	const wrong = Object.entries(answers).find(([, value]) => !isAnswer(value));
	if (wrong) {
		const message = `The answer "${wrong[0]}" must be a string or an array of strings.`;
		return refuse('invalid_response', message);
	}
	if (!store.forms.some((form) => form.id === formId)) return refuse('form_not_found');

	await sleep(store.settings.createDelayMs, undefined, { ref: false });
	const { id } = store.addResponse(formId, answers as Record<string, Answer>);
	return jsonReply(201, { success: true, response_id: id });
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAnswer(value: unknown): value is Answer {
	const texts = Array.isArray(value) ? value : [value];
	return texts.every((text) => typeof text === 'string');
}

const unreadable: ErrorRequestHandler = async (error: { type?: string }, _req, res, next) => {
	if (error.type === 'request.aborted') return;
	if (res.headersSent) return next(error);
	const code = error.type === 'entity.too.large' ? 'body_too_large' : 'invalid_json';
	await send(res, res.locals.entry as LoggedRequest, refuse(code));
};
