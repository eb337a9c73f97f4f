import type { Result, Verification } from './verify';

const MAX_PROBLEMS = 5;
const HOLDS = 'All that the API reference states holds.';
const HOLDS_NOT = 'Not all that the API reference states holds, or it could not be checked.';
const NOT_CHECKED = 'nothing was seen that would show it';

export function summary(verification: Verification): string {
	const { results, requests, holds } = verification;
	const lines = results.flatMap(({ name, outcome, text, problems }) => [
		`${(outcome === 'failed' ? 'FAILED' : outcome).padEnd(12)} ${name}${outcome === 'learned' ? `: ${oneLine(text)}` : ''}`,
		...(outcome === 'failed' ? [`             ${text}`] : []),
		...(outcome === 'not checked' ? [`             ${NOT_CHECKED}`] : []),
		...firstOf(problems).map((problem) => `             - ${oneLine(problem)}`),
	]);
	return [...lines, '', `${requests} requests. ${holds ? HOLDS : HOLDS_NOT}`].join('\n');
}

export function markdown(service: string, date: string, verification: Verification): string {
	const { results, requests, holds } = verification;
	const stated = results.filter(({ outcome }) => outcome !== 'learned');
	const learned = results.filter(({ outcome }) => outcome === 'learned');
	return [
		'# The service and its API reference',
		'',
		`${literal(service)}, ${date}, ${requests} requests. ${holds ? HOLDS : HOLDS_NOT}`,
		'',
		'## What the reference states',
		'',
		...stated.flatMap(statedLines),
		'',
		'## What it leaves open, and the service showed',
		'',
		...learned.map(({ name, text }) => `- **${name}**: ${literal(text)}`),
		'',
	].join('\n');
}

function statedLines({ name, outcome, text, problems }: Result): string[] {
	return [
		`- **${name}** ${outcome}: ${text}${outcome === 'not checked' ? ` (${NOT_CHECKED})` : ''}`,
		...firstOf(problems).map((problem) => `  - ${literal(problem)}`),
	];
}

function firstOf(problems: string[]): string[] {
	if (problems.length <= MAX_PROBLEMS) return problems;
	const more = problems.length - MAX_PROBLEMS;
	return [...problems.slice(0, MAX_PROBLEMS), `and ${more} more`];
}

/** What a service sends may steer a terminal. */
function oneLine(text: string): string {
	return text.replace(/[\s\p{C}]+/gu, ' ');
}

function literal(text: string): string {
	return oneLine(text).replace(/[\\`*_<>[\]|#&]/g, '\\$&');
}
