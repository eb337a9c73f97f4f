import type { PackageInterface, Parameter } from './describe';

/** Something that workflows made with one release do not find in the next one as it was. */
export interface Change {
	/** Such as `nodes.formCollection.operations.getForms.parameters.limit.default` */
	path: string;
	what: string;
}

/** @returns what is not an addition */
export function breakingChanges(before: PackageInterface, after: PackageInterface): Change[] {
	return changesIn('', before, after);
}

function changesIn(path: string, before: unknown, after: unknown): Change[] {
	if (!isTree(path, before) || !isTree(path, after)) {
		const [was, is] = [JSON.stringify(before), JSON.stringify(after)];
		return was === is ? [] : [{ path, what: `was ${was} and is ${is}` }];
	}
	const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
	const added = Object.keys(after).filter((name) => !Object.hasOwn(before, name));
	const kept = Object.keys(before).filter((name) => Object.hasOwn(after, name));
	return [
		...removed.map((name) => ({ path: join(path, name), what: 'is gone' })),
		...added
			.filter((name) => isMissingInSaved(path, after[name]))
			.map((name) => ({ path: join(path, name), what: 'is new and required' })),
		...kept.flatMap((name) => changesIn(join(path, name), before[name], after[name])),
	];
}

/** Values of parameters are compared as they are: one more condition to show it is no addition. */
function isTree(path: string, value: unknown): value is Record<string, unknown> {
	const isValue = /\.(default|shown|inputs|outputs)$/.test(path);
	return typeof value === 'object' && value !== null && !Array.isArray(value) && !isValue;
}

/** What was saved before cannot hold it. */
function isMissingInSaved(path: string, part: unknown): boolean {
	const isParameter = /\.parameters$|^credentials\.[^.]+$/.test(path);
	const isCredential = /\.credentials$/.test(path);
	return (isParameter || isCredential) && (part as Partial<Parameter>).required === true;
}

function join(path: string, name: string): string {
	return path === '' ? name : `${path}.${name}`;
}
