/**
 * Changes the published code in small ways, one at a time, and tells which changes no test notices. Stryker
 * keeps what it knows in coverage/mutation.json, so that the next run looks only at what was changed since.
 *
 *   npx tsx tools/mutation.ts                   every line of the pure files, a third of the others
 *   npx tsx tools/mutation.ts --force           forgets the last run
 *   npx tsx tools/mutation.ts nodes/FormCollection/transport/retry.ts
 *                                               all lines of these files
 *
 * Ends with status 1 if fewer than 95 % are noticed.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { paths } from '../playground/paths';

/** Of two values in, one value out: each change takes a second. The others wait for n8n's engine. */
const PURE =
	/(responses\/(?!formRead)\w+|parameters\/values|transport\/(retry|jsonList|errorTable|showable|hash|connectionFailure)|trigger\/dedupe|createResponse\/mapping)\.ts$/;
const BLOCK = 10;
const SHARE = 3;
const WANTED_PERCENT = 95;

interface Mutant {
	mutatorName: string;
	replacement?: string;
	status: string;
	location: { start: { line: number } };
}

const { values, positionals } = parseArgs({
	options: { force: { type: 'boolean', default: false } },
	allowPositionals: true,
});

const codeOf = (file: string) => readFileSync(join(paths.root, file), 'utf8').split('\n');

/** In Stryker's words: the file, or the first ten of each thirty lines as `file:1-10` */
function partsOf(file: string): string[] {
	if (PURE.test(file)) return [file];
	const count = Math.ceil(codeOf(file).length / BLOCK / SHARE);
	return Array.from({ length: count }, (_, i) => {
		const first = i * BLOCK * SHARE + 1;
		return `${file}:${first}-${first + BLOCK - 1}`;
	});
}

const sources = ['credentials', 'nodes'].flatMap((folder) =>
	readdirSync(join(paths.root, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts'))
		.map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
);
const parts = positionals.length > 0 ? positionals : sources.flatMap(partsOf);
const { status } = spawnSync(
	'npx',
	['stryker', 'run', '--mutate', parts.join(), ...(values.force ? ['--force'] : [])],
	{ cwd: paths.root, stdio: 'inherit' },
);
if (status !== 0) process.exit(1);

const report = readFileSync(join(paths.root, 'coverage', 'mutation-report.json'), 'utf8');
const { files } = JSON.parse(report) as { files: Record<string, { mutants: Mutant[] }> };
let [noticed, all] = [0, 0];
for (const [file, { mutants }] of Object.entries(files)) {
	const counted = mutants.filter((mutant) => !/^(Ignored|CompileError)$/.test(mutant.status));
	const survived = counted.filter((mutant) => /^(Survived|NoCoverage)$/.test(mutant.status));
	noticed += counted.length - survived.length;
	all += counted.length;
	console.log(`${file}: ${counted.length - survived.length} of ${counted.length}`);
	for (const { mutatorName, replacement = '', location } of survived) {
		const { line } = location.start;
		console.log(`  ${line}: ${codeOf(file)[line - 1]?.trim()}`);
		console.log(`      ${mutatorName} → ${replacement.split('\n')[0]}`);
	}
}
console.log(`${((100 * noticed) / all).toFixed(1)} % of ${all} changes noticed`);
process.exitCode = noticed < (all * WANTED_PERCENT) / 100 ? 1 : 0;
