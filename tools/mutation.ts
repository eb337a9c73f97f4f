/**
 * Changes the published code in small ways and tells which changes the tests do not notice. Takes an
 * hour or more, so it is no part of CI.
 *
 *   npm run mutation                      everything
 *   npm run mutation -- answers poll      the files of these names only
 *
 * Prints what survived, and writes docs/mutation.md of this run and what is kept of earlier ones (in
 * coverage/mutation-reports: delete it to have everything run again).
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { table } from '../playground/markdown';
import { paths } from '../playground/paths';
import { run } from '../playground/run';
import { sources, testsOf } from './testsOf';

const reports = join(paths.root, 'coverage', 'mutation-reports');

interface Mutant {
	mutatorName: string;
	replacement?: string;
	status:
		| 'Killed'
		| 'Survived'
		| 'NoCoverage'
		| 'Timeout'
		| 'CompileError'
		| 'RuntimeError'
		| 'Ignored';
	location: { start: { line: number; column: number }; end: { line: number; column: number } };
}

interface Report {
	files: Record<string, { source: string; mutants: Mutant[] }>;
}

interface Result {
	source: string;
	killed: number;
	survived: (Mutant & { text: string })[];
}

async function mutate(source: string): Promise<Result> {
	const report = join(reports, `${source.replaceAll('/', '.')}.json`);
	const earlier = join(reports, `${source.replaceAll('/', '.')}.earlier.json`);
	forgetSurvivors(earlier);
	const options = ['--mutate', source, '--incremental', '--incrementalFile', earlier];
	await run('stryker', ['run', ...options], {
		cwd: paths.root,
		preferLocal: true,
		stdio: ['ignore', 'inherit', 'inherit'],
		env: { MUTATION_TESTS: testsOf(source).join(), MUTATION_REPORT: report },
	});
	const { files } = JSON.parse(readFileSync(report, 'utf8')) as Report;
	const { source: code, mutants } = files[source] ?? { source: '', mutants: [] };
	const lines = code.split('\n');
	const counted = mutants.filter(({ status }) => !['Ignored', 'CompileError'].includes(status));
	const survived = counted.filter(({ status }) => ['Survived', 'NoCoverage'].includes(status));
	return {
		source,
		killed: counted.length - survived.length,
		survived: survived.map((mutant) => ({
			...mutant,
			text: lines[mutant.location.start.line - 1]?.trim() ?? '',
		})),
	};
}

/** Of an earlier run, what was noticed is taken as long as the code and that test are the same. */
function forgetSurvivors(earlier: string): void {
	if (!existsSync(earlier)) return;
	const report = JSON.parse(readFileSync(earlier, 'utf8')) as Report;
	for (const file of Object.values(report.files)) {
		file.mutants = file.mutants.filter(({ status }) => ['Killed', 'Timeout'].includes(status));
	}
	writeFileSync(earlier, JSON.stringify(report));
}

function scoreOf(results: Result[]): string {
	const killed = results.reduce((sum, result) => sum + result.killed, 0);
	const all = results.reduce((sum, { survived }) => sum + survived.length, killed);
	return all === 0 ? '–' : `${((100 * killed) / all).toFixed(1)} % (${killed} of ${all})`;
}

/** Why a change that survives makes no difference that a test could see, by a part of its line. */
const reasons: Record<string, string> = {
	'reply.response_id] : []': 'an id that no response has',
	'Math.imul(hash': 'it only has to be a hash',
	".join('-');": 'it only has to be a hash',
	'const time = isBounded': 'it only saves the reading of times',
	'if (isBounded &&': 'nothing that is compared with undefined is true',
	'withoutNew < ENOUGH': 'one response more or less',
	"getNodeParameter(name, itemIndex, ''": 'n8n gives every parameter a value',
	'answers.answer': 'a row without key and value is left out',
	'Array.isArray(rows) ? rows : []': 'a row without key and value is left out',
	"answersMapping.mappingMode', itemIndex, ''": 'n8n gives every parameter a value',
	'getInputData()[itemIndex]?.json': 'the item is always there',
	'query === undefined ||': 'the item is always there',
	'given.has(response)': 'it only saves a copy',
	'const outputs: INodeExecutionData[][] = []': 'the first item takes its place',
	"outcome.kind === 'reply'": 'only the compiler needs it',
	"credential: { id: ''": 'n8n reads only the data of it',
	"getNodeParameter('formId', itemIndex, ''": 'n8n gives every parameter a value',
	"getNodeParameter('returnAll'": 'n8n gives every parameter a value',
	"getNodeParameter('formId', ''": 'n8n gives every parameter a value',
	"formCollectionApi?.id ?? ''": 'it only has to be the same at each poll',
	'isActivation && source !== undefined': 'only the compiler needs it',
	'request.formId !== undefined': 'n8n leaves out what is undefined',
	'depth < 5': 'one cause more or less',
	'status < 200 ||': 'no reply has such a status',
	"reply.words ?? ''": 'each reply that failed has words',
	'status >= 300 && status < 400': 'no reply below 300 gets here',
	'i < chunk.length; i++': 'past the end is nothing to see',
	mostKept: 'it only bounds the memory; `npm run bench` measures that',
};

function page(all: Result[]): string {
	const rows = all.map((result) => [result.source, scoreOf([result])]);
	const survivors = all.flatMap(({ source, survived }) =>
		survived.map(({ location, mutatorName, replacement = '', text }) => {
			const change = `${source}:${location.start.line}: ${mutatorName} → \`${replacement.split('\n')[0]}\` in \`${text}\``;
			const reason = Object.entries(reasons).find(([part]) => text.includes(part))?.[1];
			return `- ${change}${reason ? ` (${reason})` : ''}`;
		}),
	);
	const missing = sources.filter((source) => all.every((each) => each.source !== source));
	return [
		'# Mutation testing',
		'',
		'Written by `npm run mutation`; do not edit. It changes the published code in small ways, one at a time, and',
		'runs the tests that are nearest to the changed file. A change that none of them notices survives. The other',
		'tests, among them all that run a real n8n, are not asked, so that the score is a lower bound. Left out are',
		`texts that only the editor shows. Run on ${new Date().toISOString().slice(0, 10)}.`,
		'',
		table(['File', 'Noticed'], [...rows, ['**All**', `**${scoreOf(all)}**`]]),
		'',
		...(missing.length > 0 ? [`Not run: ${missing.join(', ')}.`, ''] : []),
		'## What survives',
		'',
		...survivors,
		'',
	].join('\n');
}

async function main(): Promise<void> {
	const { positionals: names } = parseArgs({ allowPositionals: true });
	const chosen = sources.filter(
		(source) => names.length === 0 || names.some((name) => source.endsWith(`/${name}.ts`)),
	);
	mkdirSync(reports, { recursive: true });
	const scores = join(reports, 'scores.json');
	const known = existsSync(scores)
		? (JSON.parse(readFileSync(scores, 'utf8')) as Record<string, Result>)
		: {};
	for (const source of chosen) {
		const result = await mutate(source);
		known[source] = result;
		writeFileSync(scores, JSON.stringify(known));
		console.log(`${source}: ${scoreOf([result])}`);
		for (const { location, mutatorName, replacement, text } of result.survived) {
			console.log(`  ${location.start.line}: ${mutatorName} → ${replacement ?? ''}\n      ${text}`);
		}
	}
	const all = sources.flatMap((source) => known[source] ?? []);
	console.log(`All: ${scoreOf(all)}`);
	writeFileSync(join(paths.root, 'docs', 'mutation.md'), page(all));
}

main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
