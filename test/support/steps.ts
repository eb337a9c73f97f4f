type Method = (...args: unknown[]) => unknown;

/** How many steps a call takes, from what it is called on, what it gives and its arguments */
type Cost = (owner: unknown, result: unknown, args: unknown[]) => number;

const one: Cost = () => 1;
const whole: Cost = (owner) => 1 + String(owner).length;
const made: Cost = (_, result) => 1 + String(result).length;
const given: Cost = (_, __, [text]) => 1 + String(text).length;
const searched: Cost = (owner, index, [, from]) =>
	1 + (index === -1 ? String(owner).length : Number(index)) - Number(from ?? 0);

const searchedBackwards: Cost = (owner, index) => String(owner).length - Number(index);

const costs: [owner: object, names: string[], cost: Cost][] = [
	[String.prototype, ['charCodeAt', 'charAt'], one],
	[String.prototype, ['indexOf'], searched],
	[String.prototype, ['lastIndexOf'], searchedBackwards],
	[String.prototype, ['slice'], made],
	[String.prototype, ['includes', 'matchAll', 'replace', 'search', 'trimStart'], whole],
	[Array.prototype, ['push', 'pop'], one],
	[Array.prototype, ['join'], made],
	[Map.prototype, ['get', 'set', 'has'], one],
	[RegExp.prototype, ['test'], given],
	[JSON, ['parse'], given],
];

/**
 * How much text the built-in functions look at or make while something runs: a step for each character,
 * and one for each look into a map and each change of a list. Unlike the time, it is the same in each run.
 */
export function stepsOf(run: () => unknown): number {
	let steps = 0;
	const originals: (() => void)[] = [];
	for (const [owner, names, cost] of costs) {
		const methods = owner as Record<string, Method>;
		for (const name of names) {
			const original = methods[name] as Method;
			originals[originals.length] = () => (methods[name] = original);
			methods[name] = function (this: unknown, ...args) {
				const result = original.apply(this, args);
				steps += cost(this, result, args);
				return result;
			};
		}
	}
	try {
		run();
	} finally {
		for (const restore of originals) restore();
	}
	return steps;
}
