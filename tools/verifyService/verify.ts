import type { Service } from './client';
import { lessons } from './lessons';
import { observe } from './observe';
import { type Check, readChecks, submitChecks } from './reference';

export interface Result {
	name: string;
	outcome: 'passed' | 'failed' | 'not checked' | 'learned';
	/** What the reference states, or what the service showed */
	text: string;
	problems: string[];
}

export interface Verification {
	/** All that the reference states was seen, and holds */
	holds: boolean;
	results: Result[];
	requests: number;
}

/**
 * Holds a service to its API reference. The tests hold the sandbox to it in the same way.
 *
 * @param submitTo ID of the form that a response is submitted to; without it nothing is changed
 */
export async function verifyService(service: Service, submitTo?: string): Promise<Verification> {
	const seen = await observe(service, submitTo);
	const checks = submitTo === undefined ? readChecks : [...readChecks, ...submitChecks];
	const stated = checks.map((check) => resultOf(check, check.problems(seen)));
	const learned = lessons.flatMap(({ name, learned }): Result[] => {
		const text = learned(seen);
		return text === undefined ? [] : [{ name, outcome: 'learned', text, problems: [] }];
	});
	return {
		holds: stated.every(({ outcome }) => outcome === 'passed'),
		results: [...stated, ...learned],
		requests: seen.requests,
	};
}

function resultOf({ name, states }: Check, problems: string[] | undefined): Result {
	if (problems === undefined) return { name, outcome: 'not checked', text: states, problems: [] };
	return { name, outcome: problems.length > 0 ? 'failed' : 'passed', text: states, problems };
}
