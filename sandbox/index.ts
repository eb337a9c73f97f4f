import express from 'express';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { apiRouter } from './api';
import type { RetryAfter, Validator } from './choices';
import { controlRouter } from './control';
import { errorsRouter } from './errorsRouter';
import { Faults } from './faults';
import type { LoggedRequest } from './log';
import { onlyLoopback } from './onlyLoopback';
import { pagesRouter } from './pages';
import type { Plan, SandboxForm, SandboxResponse, Variant } from './records';
import type { Sandbox } from './sandbox';
import { Store } from './store';

/** What the example workflows import. */
const contacts = join(__dirname, '..', 'examples', 'contacts.csv');

export type { RetryAfter, Validator } from './choices';
export type { Fault, Faults } from './faults';
export type { LoggedRequest } from './log';
export type { Answer, Plan, SandboxForm, SandboxResponse, Variant } from './records';
export type { Account, Sandbox } from './sandbox';
export type { HourWindow, Settings } from './store';

export interface SandboxOptions {
	/** Default: any free port. */
	port?: number;
	/** Default: `sandbox-key`. */
	apiKey?: string;
	/** For links to the n8n whose user plays with this sandbox. */
	n8nUrl?: string;
	/** Default: `extended`. */
	variant?: Variant;
	/** Default: `enterprise`, which has no limit. */
	plan?: Plan;
	/** Default: the sample forms. */
	forms?: SandboxForm[];
	/** Default: the sample responses, or none if `forms` are given. */
	responses?: SandboxResponse[];
	/** How long the service takes to store a response; default 0. */
	createDelayMs?: number;
	/** How a 429 at the limit says when to come back; default `seconds`. */
	retryAfter?: RetryAfter;
	/** By what a list of responses tells that it has not changed; default `none`. */
	validator?: Validator;
	/** How far the clock of the service is ahead, in milliseconds; default 0. */
	clockOffsetMs?: number;
}

/** Starts a Form Collection Service on the loopback interface. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const store = new Store(
		{
			variant: options.variant ?? 'extended',
			plan: options.plan ?? 'enterprise',
			createDelayMs: options.createDelayMs ?? 0,
			retryAfter: options.retryAfter ?? 'seconds',
			validator: options.validator ?? 'none',
			clockOffsetMs: options.clockOffsetMs ?? 0,
		},
		options,
	);
	const apiKey = options.apiKey ?? 'sandbox-key';
	const accounts = new Map([[apiKey, store]]);
	const log: LoggedRequest[] = [];
	const faults = new Faults();
	const app = express().disable('x-powered-by');
	const server = createServer(app).listen(options.port ?? 0, '127.0.0.1');
	await once(server, 'listening');
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

	const sandbox: Sandbox = {
		url,
		baseUrl: `${url}/api`,
		apiKey,
		n8nUrl: options.n8nUrl,
		forms: store.forms,
		responses: store.responses,
		bodies: store.bodies,
		log,
		faults,
		settings: store.settings,
		window: store.window,
		setPlan: (plan) => void (store.settings.plan = plan),
		addAccount(key, seed) {
			const added = new Store({ ...store.settings }, { forms: [], ...seed });
			accounts.set(key, added);
			const { forms, responses, settings } = added;
			return { apiKey: key, forms, responses, settings };
		},
		addKey: (key) => void accounts.set(key, store),
		setVariant: (variant) => store.setVariant(variant),
		reset() {
			store.reset();
			accounts.clear();
			accounts.set(apiKey, store);
			faults.clear();
			log.length = 0;
		},
		async stop() {
			if (!server.listening) return;
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
	app.use('/api', apiRouter({ accounts, settings: store.settings, log, faults }));
	app.use('/sandbox', onlyLoopback, controlRouter(sandbox));
	app.use('/errors', onlyLoopback, errorsRouter(sandbox));
	app.get('/contacts.csv', (_request, response) => response.sendFile(contacts));
	app.use(pagesRouter(store, sandbox));
	return sandbox;
}
