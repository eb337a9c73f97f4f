import { newId } from './random';
import type { Answer, Plan, SandboxForm, SandboxResponse, Variant } from './records';
import { sampleRecords } from './samples';

const hour = 3_600_000;

/** Documented, unlike what happens at the limit. */
export const requestsPerHour: Record<Plan, number> = {
	free: 100,
	pro: 1_000,
	enterprise: Infinity,
};

export interface Settings {
	variant: Variant;
	plan: Plan;
	/** How long the service takes to store a response, in milliseconds. */
	createDelayMs: number;
}

export interface Seed {
	/** Default: the sample forms. */
	forms?: SandboxForm[];
	/** Default: the sample responses, or none if `forms` are given. */
	responses?: SandboxResponse[];
}

/** Everything the service remembers. */
export class Store {
	readonly forms: SandboxForm[] = [];

	readonly responses: SandboxResponse[] = [];

	/** The requests counted since the first one of the hour; refused ones are not. */
	readonly window = { used: 0, startedAt: 0 };

	readonly settings: Settings;

	constructor(
		private readonly startedWith: Settings,
		private readonly seed: Seed,
	) {
		this.settings = { ...startedWith };
		this.loadSeed();
	}

	setVariant(variant: Variant) {
		this.settings.variant = variant;
		this.loadSeed();
	}

	reset() {
		Object.assign(this.settings, this.startedWith);
		this.startHour();
		this.loadSeed();
	}

	addResponse(formId: string, answers: Record<string, Answer>): SandboxResponse {
		const response: SandboxResponse = {
			id: newId(this.settings.variant),
			form_id: formId,
			answers,
			created_at: new Date().toISOString(),
		};
		if (this.settings.variant === 'extended') response.pixel_fired = false;
		this.responses.push(response);
		return response;
	}

	startHour(used = 0) {
		Object.assign(this.window, { used, startedAt: Date.now() });
	}

	/** Counts a request; returns the end of the hour if the plan does not allow it. */
	countRequest(): Date | undefined {
		const { window } = this;
		if (Date.now() >= window.startedAt + hour) this.startHour();
		if (window.used >= requestsPerHour[this.settings.plan]) {
			return new Date(window.startedAt + hour);
		}
		window.used++;
		return undefined;
	}

	private loadSeed() {
		const samples = this.seed.forms ? undefined : sampleRecords(this.settings.variant);
		refill(this.forms, this.seed.forms ?? samples?.forms ?? []);
		refill(this.responses, this.seed.responses ?? samples?.responses ?? []);
	}
}

/** Keeps the array itself, which tests hold, and copies the records, so that the seed stays as it was. */
function refill<T>(target: T[], records: T[]) {
	target.splice(0);
	for (const record of records) target.push(structuredClone(record));
}
