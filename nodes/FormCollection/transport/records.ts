import type { IDataObject } from 'n8n-workflow';

/** A form as the service sent it; `id`, `title`, `slug`, `status`, `created_at` are documented. */
export type FormRecord = IDataObject;

/** A response as the service sent it; `id`, `form_id`, `answers`, `created_at` are documented. */
export type ResponseRecord = IDataObject;

/** By question key: text, or a list of texts for multiple choice. */
export type Answers = Record<string, string | string[]>;

export function isRecord(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy that shares no objects with the original: later nodes may change the items they get. */
export function copyOf<Value>(value: Value): Value {
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map(copyOf) as Value;
	const copy = { ...value };
	for (const key in copy) {
		copy[key] = copyOf(copy[key]);
	}
	return copy;
}
