/**
 * Measures the packed package in a real n8n beside n8n's own nodes and a node of ten lines. Prints a table, and
 * keeps all figures in playground/.data/bench.json. Linux only: CPU time and memory come from /proc.
 *
 *   npm run bench                          7 rounds of each work
 *   npm run bench -- --pairs 1             a short try
 *   npm run bench -- --only all            one work: hundred, all, newest, first, last day, submissions
 *   npm run bench -- --against ../other    beside the package of another folder, in an n8n of its own
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { ensureN8n, packPackage } from '../../playground/install';
import { paths } from '../../playground/paths';
import { run } from '../../playground/run';
import { type Figures, Rig } from './rig';
import type { Told } from './service';
import { type Side, type Work, workflowOf, worksWith } from './works';

const { values } = parseArgs({
	options: {
		pairs: { type: 'string', default: '7' },
		only: { type: 'string' },
		against: { type: 'string' },
	},
});

const NAMES = { ours: 'this package', n8n: 'n8n’s nodes', floor: 'ten lines' };

interface Competitor {
	name: string;
	rig: Rig;
	side: Side;
}

interface Result {
	work: string;
	/** By competitor; the runs of one round have the same place */
	runs: Record<string, Figures[]>;
}

async function packageOf(folder: string): Promise<string> {
	const target = mkdtempSync(join(tmpdir(), 'form-collection-against-'));
	await run('npm', ['run', 'build'], { cwd: folder });
	const pack = ['pack', '--silent', '--pack-destination', target];
	return join(target, await run('npm', pack, { cwd: folder }));
}

async function measure(work: Work, competitors: Competitor[], ask: () => Promise<Told>) {
	const calls = new Map<Competitor, () => Promise<unknown>>();
	const outputs: unknown[] = [];
	// All must put out the same, or it is no comparison. It also is the run that warms up.
	for (const competitor of competitors) {
		const { rig, side } = competitor;
		const check = await rig.publish(workflowOf(work, side, true));
		await ask();
		const output = await check();
		const { submitted } = await ask();
		outputs.push(submitted.length > 0 ? submitted.sort() : output);
		calls.set(competitor, await rig.publish(workflowOf(work, side, false)));
	}
	if (!outputs.every((output) => isDeepStrictEqual(output, outputs[0]))) {
		const texts = outputs.map((output) => JSON.stringify(output)?.slice(0, 500));
		throw new Error(`${work.name}: the outputs differ:\n${texts.join('\n')}`);
	}
	const runs: Result['runs'] = Object.fromEntries(competitors.map(({ name }) => [name, []]));
	for (let round = 0; round < Number(values.pairs); round++) {
		for (const turn of competitors.keys()) {
			const competitor = competitors[(turn + round) % competitors.length]!;
			runs[competitor.name]!.push(await competitor.rig.measure(calls.get(competitor)!));
		}
	}
	return { work: work.name, runs };
}

function median(numbers: number[]): number {
	const sorted = numbers.toSorted((a, b) => a - b);
	const middle = (sorted.length - 1) / 2;
	return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}

function print({ work, runs }: Result): void {
	const rows = Object.entries(runs).map(([name, figures]) => {
		const of = (key: keyof Figures) => median(figures.map((one) => one[key]));
		const row = {
			ms: Math.round(of('wallMs')),
			'CPU ms': Math.round(of('cpuMs')),
			'MB above idle': Math.round(of('peakBytes') / 1e6),
			requests: of('requests'),
			'MB received': Math.round(of('bytes') / 1e5) / 10,
		};
		return [`${work}: ${name}`, row];
	});
	console.table(Object.fromEntries(rows));
}

async function main(): Promise<void> {
	await ensureN8n({ log: console.log });
	const service = fork(join(__dirname, 'service.ts'));
	const ask = async () => {
		service.send('tell');
		return ((await once(service, 'message')) as [Told])[0];
	};
	const [{ baseUrl }] = (await once(service, 'message')) as [Told];
	const rigs: Rig[] = [];
	const start = async (tarball: string) => {
		const rig = await Rig.start(tarball, ask);
		rigs.push(rig);
		return rig;
	};
	try {
		const rig = await start(await packPackage());
		const other = values.against && (await start(await packageOf(resolve(values.against))));
		const competitors: Competitor[] = other
			? [
					{ name: NAMES.ours, rig, side: 'ours' },
					{ name: values.against!, rig: other, side: 'ours' },
				]
			: (['ours', 'n8n', 'floor'] as const).map((side) => ({ name: NAMES[side], rig, side }));
		const works = worksWith(rig.credential, baseUrl);
		const chosen = works.filter(({ name }) => values.only === undefined || values.only === name);
		const results: Result[] = [];
		for (const work of chosen) {
			const result = await measure(work, competitors, ask);
			print(result);
			results.push(result);
		}
		writeFileSync(join(paths.data, 'bench.json'), JSON.stringify(results, null, 2));
	} finally {
		for (const rig of rigs) await rig.stop();
		service.disconnect();
	}
}

void main();
