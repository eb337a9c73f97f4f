/** A text that is passed over, or a number. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** What a number must have to be more than JavaScript can hold. */
const MAY_BE_TOO_LARGE = /\d{16}|\d[eE]\+?\d\d/;

/**
 * `JSON.parse`, but for numbers that JavaScript would change, such as an ID of 19 digits: these become
 * text, digit by digit as they were sent.
 */
export function parseJson(text: string): unknown {
	return JSON.parse(MAY_BE_TOO_LARGE.test(text) ? withLargeNumbersAsText(text) : text);
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
