const MOST_NAMED = 10;

/** @returns as many names as can be read at a glance */
export function listOf(names: string[]): string {
	const more = names.length - MOST_NAMED;
	const named = names.slice(0, MOST_NAMED).join(', ');
	return more > 0 ? `${named} and ${formatted(more)} more` : named;
}

/** E.g. 1,240 */
export function formatted(value: number): string {
	return value.toLocaleString('en-US');
}
