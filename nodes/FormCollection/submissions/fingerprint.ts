import type { IDataObject } from 'n8n-workflow';
import { hashOf } from '../hash';
import { isFailureText } from './outcomeLines';

/** A hash of the fields of an input item. */
export function fingerprintOf(fields: IDataObject | undefined): string {
	const json = { ...fields };
	// The error output adds `error` to the item.
	if (isFailureText(json.error)) delete json.error;
	return hashOf(textOf(json));
}

/** A text that is the same in each try, also for what nodes put into items although it is no JSON. */
function textOf(json: IDataObject): string {
	for (const replacer of [undefined, withoutCircles()]) {
		try {
			return JSON.stringify(json, replacer);
		} catch {
			// Circular, a BigInt, or nested too deeply.
		}
	}
	return Object.keys(json).join();
}

function withoutCircles() {
	const parents: unknown[] = [];
	return function (this: unknown, _: string, value: unknown): unknown {
		if (typeof value === 'bigint') return String(value);
		if (typeof value !== 'object' || value === null) return value;
		while (parents.length > 0 && parents.at(-1) !== this) parents.pop();
		if (parents.includes(value)) return parents.indexOf(value);
		parents.push(value);
		return value;
	};
}
