import { createdAt } from '../../nodes/FormCollection/responses/createdAt';
import type { Reply } from './client';

export type Rec = Record<string, unknown>;

export function isRecord(value: unknown): value is Rec {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isSuccess({ status }: Reply): boolean {
	return status >= 200 && status < 300;
}

/** @returns the list that the reply holds under this name; undefined where it holds none */
export function recordsOf({ json }: Reply, name: 'forms' | 'responses'): Rec[] | undefined {
	const list = isRecord(json) ? json[name] : undefined;
	return Array.isArray(list) && list.every(isRecord) ? list : undefined;
}

/** Text of many alphabets, because nothing says which of them a service keeps */
const TEXT = 'verify:service "Zoë" 日本語';

/** @param seen what somebody answered to the question: an email address and a choice must look like one */
export function answerTo(seen: unknown): string | string[] {
	if (Array.isArray(seen)) return seen.slice(0, 1) as string[];
	return String(seen).includes('@') ? 'verify-service@example.com' : TEXT;
}

/** @returns Unix epoch milliseconds of a time of ISO 8601; one without a zone is in UTC for the nodes */
export function timeOf(value: unknown): number {
	return createdAt({ created_at: value as string }) ?? NaN;
}
