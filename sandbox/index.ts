import express from 'express';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { apiRouter } from './api';
import type { RetryAfter, Validator } from './choices';
import { controlRouter } from './control';
import { Faults } from './faults';
import type { LoggedRequest } from './log';
import { pagesRouter } from './pages';
import type { Plan, SandboxForm, SandboxResponse, Variant } from './records';
import { type HourWindow, type Seed, type Settings, Store } from './store';

/** What the example workflows import. */
const contacts = join(__dirname, '..', 'examples', 'contacts.csv');

export type { RetryAfter, Validator } from './choices';
export type { Fault, Faults } from './faults';
export type { LoggedRequest } from './log';
export type { Answer, Plan, SandboxForm, SandboxResponse, Variant } from './records';
export type { HourWindow, Settings } from './store';

export interface SandboxOptions {
	/** Default: any free port. */
	port?: number;
	/** Default: `sandbox-key`. */
	apiKey?: string;
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

/** What belongs to one API key. */
export interface Account {
	readonly apiKey: string;
	/** The live store, as below. */
	readonly forms: SandboxForm[];
	readonly responses: SandboxResponse[];
	readonly settings: Settings;
}

export interface Sandbox {
	/** `http://127.0.0.1:PORT` */
	readonly url: string;
	/** The API root: what goes into the Base URL of the credential. */
	readonly baseUrl: string;
	readonly apiKey: string;
	/** The live store. Records are served exactly as they stand in it. */
	readonly forms: SandboxForm[];
	readonly responses: SandboxResponse[];
	/**
	 * Lists of responses by form, as they are sent: in place of the stored ones, so that measuring a caller
	 * does not measure how long the sandbox takes to make JSON of a long list.
	 */
	readonly bodies: Map<string, Buffer>;
	/** Every request to /api, in order of arrival. */
	readonly log: LoggedRequest[];
	readonly faults: Faults;
	/** Live; only a change of the variant needs `setVariant`. */
	readonly settings: Settings;
	/** What is used of the hourly limit; may be set. */
	readonly window: HourWindow;
	setPlan(plan: Plan): void;
	/** One more account, with forms of its own, until `reset`. */
	addAccount(apiKey: string, seed: Seed): Account;
	/** Goes back to the seed, in this variant; later records are made in it too. */
	setVariant(variant: Variant): void;
	/** Back to how it was started: seed, settings, empty log, no faults, a new hour. */
	reset(): void;
	/** Closes everything at once, hanging connections included. */
	stop(): Promise<void>;
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
	app.use('/sandbox', controlRouter(sandbox));
	app.get('/contacts.csv', (_request, response) => response.sendFile(contacts));
	app.use(pagesRouter(store));
	return sandbox;
}
