import type { Faults } from './faults';
import type { LoggedRequest } from './log';
import type { Plan, SandboxForm, SandboxResponse, Variant } from './records';
import type { HourWindow, Seed, Settings } from './store';

/** What belongs to one API key. */
export interface Account {
	readonly apiKey: string;
	/** The live store, as below. */
	readonly forms: SandboxForm[];
	readonly responses: SandboxResponse[];
	readonly settings: Settings;
}

/** A running service, as tests and tools steer it. */
export interface Sandbox {
	/** `http://127.0.0.1:PORT` */
	readonly url: string;
	/** The API root: what goes into the Base URL of the credential. */
	readonly baseUrl: string;
	readonly apiKey: string;
	/** The n8n whose user plays with this sandbox, where there is one. */
	readonly n8nUrl: string | undefined;
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
	/** One more key of the same account, until `reset`. */
	addKey(apiKey: string): void;
	/** Goes back to the seed, in this variant; later records are made in it too. */
	setVariant(variant: Variant): void;
	/** Back to how it was started: seed, settings, empty log, no faults, a new hour. */
	reset(): void;
	/** Closes everything at once, hanging connections included. */
	stop(): Promise<void>;
}
