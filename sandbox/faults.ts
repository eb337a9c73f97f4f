import type { LoggedRequest } from './log';

/** A way for the service to misbehave, as data. The first fault in the list that applies is used. */
export interface Fault {
	/** What somebody turned on, as the page of errors shows it */
	name?: string;

	/** Only on this route, such as `POST /responses`; any route when missing. */
	route?: string;
	/** Only on requests with this API key. */
	key?: string;
	/** Only on requests whose path or body contains this text. */
	contains?: string;
	/** Lets this many requests pass first. */
	skip?: number;
	/** For this many requests, then it is over; until cleared when missing. */
	times?: number;

	/** Answers this instead of the real reply. */
	status?: number;
	/** Sent as is if it is a string, else as JSON. Instead of the real body. */
	body?: unknown;
	/** Added to whatever is answered. */
	headers?: Record<string, string>;
	/** Answers a redirect to this address: 302, or `status`. */
	redirectTo?: string;
	/** Never answers, or stops in the middle of the body and leaves the connection open. */
	hang?: boolean | 'body';
	/** Closes the connection before the answer, or in the middle of its body. */
	cut?: 'connection' | 'body';
	/** Handles the request (a POST is stored) before it fails or waits; else it fails instead of handling it. */
	stored?: boolean;
	/** Waits before it answers. */
	delayMs?: number;
	/** Waits until the faults are cleared. */
	held?: boolean;
	/** Spreads the body over this time. */
	slowBodyMs?: number;
	/** Compresses the body. */
	gzip?: boolean;
}

export class Faults {
	private active: Fault[] = [];

	private waiting: (() => void)[] = [];

	add(...faults: Fault[]) {
		this.active.push(...faults.map((fault) => ({ ...fault })));
	}

	/** The active faults; `skip` and `times` count down. */
	list(): Fault[] {
		return this.active.map((fault) => ({ ...fault }));
	}

	clear() {
		this.active = [];
		for (const goOn of this.waiting.splice(0)) goOn();
	}

	async cleared(): Promise<void> {
		await new Promise<void>((resolve) => this.waiting.push(resolve));
	}

	/** The fault that strikes this request, if any. */
	take(request: LoggedRequest): Fault | undefined {
		for (const fault of this.active) {
			if (!applies(fault, request)) continue;
			if (fault.skip) {
				fault.skip--;
				continue;
			}
			if (fault.times !== undefined && --fault.times <= 0) {
				this.active = this.active.filter((other) => other !== fault);
			}
			return fault;
		}
		return undefined;
	}
}

function applies(fault: Fault, request: LoggedRequest): boolean {
	if (fault.route !== undefined && fault.route !== request.route) return false;
	if (fault.key !== undefined && request.headers.authorization !== `Bearer ${fault.key}`) {
		return false;
	}
	if (fault.contains === undefined) return true;
	return request.path.includes(fault.contains) || textOf(request.body).includes(fault.contains);
}

function textOf(body: unknown): string {
	return typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
}
