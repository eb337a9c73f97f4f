/** A JSON string, which is matched only to pass over it, or a number. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * `JSON.parse`, but for numbers that JavaScript would change, such as an ID of 19 digits: these become
 * text, digit by digit as they were sent.
 */
export function parseJson(text: string): unknown {
	const value: unknown = JSON.parse(text);
	return hasLargeNumber(value) ? JSON.parse(withLargeNumbersAsText(text)) : value;
}

const TEXT_OR_SIGN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/**
 * `JSON.parse` takes the last of members with the same key.
 *
 * @param text of an object, valid JSON
 * @returns a key that the object has twice
 */
export function repeatedKey(text: string): string | undefined {
	const keys = new Set<string>();
	let depth = 0;
	let last = '';
	for (const [token] of text.matchAll(TEXT_OR_SIGN)) {
		if (token === '{' || token === '[') depth++;
		else if (token === '}' || token === ']') depth--;
		else if (token !== ':') last = token;
		else if (depth === 1) {
			const key = JSON.parse(last) as string;
			if (keys.has(key)) return key;
			keys.add(key);
		}
	}
	return undefined;
}

/** Takes less time than to look for them in the text. */
function hasLargeNumber(value: unknown): boolean {
	const values = [value];
	while (values.length > 0) {
		const next = values.pop();
		if (typeof next === 'number' && Math.abs(next) > Number.MAX_SAFE_INTEGER) return true;
		if (typeof next !== 'object' || next === null) continue;
		for (const key in next) {
			const member = (next as Record<string, unknown>)[key];
			if (typeof member === 'number' || typeof member === 'object') values.push(member);
		}
	}
	return false;
}

function withLargeNumbersAsText(json: string): string {
	return json.replace(STRING_OR_NUMBER, (token) => {
		if (token.startsWith('"')) return token;
		const value = Number(token);
		const isChanged = !Number.isFinite(value) || (isInteger(token) && !Number.isSafeInteger(value));
		return isChanged ? `"${token}"` : token;
	});
}

function isInteger(token: string): boolean {
	return /^-?\d+$/.test(token);
}
