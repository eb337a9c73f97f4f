/**
 * Expression for the line below the name of the node on the canvas, e.g. "Get Responses: Contact us".
 *
 * @param what expression without braces: what the node does
 */
export function subtitle(what: string): string {
	// `$parameter.formId` is the ID alone, without the title that was chosen.
	const locator = '$parameter.toJSON().formId ?? $parameter.toJSON().formSlug';
	const form = `((form) => form?.cachedResultName || form?.value)(${locator})`;
	// A form that is an expression has no name before the workflow runs.
	const isKnown = '(text) => text && !String(text).startsWith("=")';
	return `={{ [${what}, ${form}].filter(${isKnown}).join(": ") }}`;
}
