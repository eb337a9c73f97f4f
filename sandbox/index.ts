import express from 'express';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { apiRouter } from './api';
import { errorsRouter } from './errors';
import { Faults } from './faults';
import type { LoggedRequest } from './log';
import { pagesRouter } from './pages';
import type { Variant } from './records';
import { type Seed, type Settings, Store } from './store';

/** What the example workflows import. */
const contacts = join(__dirname, '..', 'examples', 'contacts.csv');

export type { Fault } from './faults';
export type { LoggedRequest } from './log';
export type { Answer, Plan, SandboxForm, SandboxResponse, Variant } from './records';

/** Settings default to the extended variant without limit and delay. */
export interface SandboxOptions extends Partial<Settings>, Seed {
	/** Default: any free port. */
	port?: number;
	/** Default: `sandbox-key`. */
	apiKey?: string;
	/** For links to the n8n whose user plays with this sandbox. */
	n8nUrl?: string;
}

/** What belongs to one API key: the live store. Records are served exactly as they stand in it. */
export interface Account extends Pick<Store, 'forms' | 'responses' | 'settings'> {
	readonly apiKey: string;
}

/** A running service, as tests and tools steer it. */
export interface Sandbox extends Account {
	/** `http://127.0.0.1:PORT` */
	readonly url: string;
	/** The API root: what goes into the Base URL of the credential. */
	readonly baseUrl: string;
	readonly n8nUrl: string | undefined;
	/** Every request to /api, in order of arrival. */
	readonly log: LoggedRequest[];
	readonly faults: Faults;
	/** What is used of the hourly limit; may be set. */
	readonly window: Store['window'];
	/** One more account, with forms of its own, until `reset`. */
	addAccount(apiKey: string, seed: Seed): Account;
	/** One more key of the same account, until `reset`. */
	addKey(apiKey: string): void;
	/** Goes back to the seed, in this variant; later records are made in it too. */
	setVariant(variant: Variant): void;
	/** Back to how it was started: seed, settings, empty log, no faults, a new hour. */
	reset(): void;
	/** Closes everything at once, hanging connections included. */
	stop(): Promise<void>;
}

/** Starts a Form Collection Service on the loopback interface. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const { port = 0, apiKey = 'sandbox-key', n8nUrl, forms, responses, ...settings } = options;
	const store = new Store(
		{ variant: 'extended', plan: 'enterprise', createDelayMs: 0, ...settings },
		{ forms, responses },
	);
	const accounts = new Map([[apiKey, store]]);
	const log: LoggedRequest[] = [];
	const faults = new Faults();
	const app = express().disable('x-powered-by');
	const server = createServer(app).listen(port, '127.0.0.1');
	await once(server, 'listening');
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const address = { url, baseUrl: `${url}/api`, apiKey, n8nUrl };

	app.use('/api', apiRouter({ accounts, log, faults }));
	app.use('/errors', errorsRouter(store, faults));
	app.get('/contacts.csv', (_request, response) => response.sendFile(contacts));
	app.use(pagesRouter(store, address));
	return {
		...address,
		...accountOf(apiKey, store),
		log,
		faults,
		window: store.window,
		addAccount(key, seed) {
			const added = new Store({ ...store.settings }, { forms: [], ...seed });
			accounts.set(key, added);
			return accountOf(key, added);
		},
		addKey: (key) => void accounts.set(key, store),
		setVariant: (variant) => store.setVariant(variant),
		reset() {
			store.reset();
			accounts.clear();
			accounts.set(apiKey, store);
			faults.clear();
			log.splice(0);
		},
		async stop() {
			if (!server.listening) return;
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
}

function accountOf(apiKey: string, { forms, responses, settings }: Store): Account {
	return { apiKey, forms, responses, settings };
}
