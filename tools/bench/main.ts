/**
 * Measures the packed package in a real n8n beside n8n's own nodes, and writes docs/benchmarks.md and
 * docs/benchmarks.svg. Linux only: CPU time and memory come from /proc.
 *
 *   npm run bench                  7 pairs of each work, and how the cost grows
 *   npm run bench -- --pairs 15
 *   npm run bench -- --quick       1 pair of each
 *   npm run bench -- --only all    one work, e.g. all, poll or growth; writes nothing
 *   npm run bench -- --report      writes the pages anew from the last figures
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';

import { ensureN8n } from '../../playground/install';
import { packPackage } from '../../playground/packageUnderTest';
import { paths } from '../../playground/paths';
import { run } from '../../playground/run';
import { START } from '../../playground/workflows';
import { chart } from './chart';
import { formOf, polledFormOf } from './lists';
import { page } from './page';
import type { GrowthPoint, Result, Results } from './results';
import { median } from './results';
import { type Figures, Rig } from './rig';
import { NEW_ONES, POLLED, scenarios, SERVICE_MS, SUBMISSIONS } from './scenarios';
import * as works from './works';

const SIZES = [1_000, 10_000, 100_000, 1_000_000];

/** Filter takes a minute for ten times as many. */
const MOST_FILTERED = 10_000;

const resultsFile = join(paths.data, 'bench.json');

const { values } = parseArgs({
	options: {
		pairs: { type: 'string', default: '7' },
		quick: { type: 'boolean', default: false },
		only: { type: 'string' },
		report: { type: 'boolean', default: false },
	},
});
const pairs = values.quick ? 1 : Number(values.pairs);

const isChosen = (name: string) => values.only === undefined || values.only === name;

const log = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

const shown = ({ wallMs, endMs, cpuMs, peakBytes }: Figures) =>
	`${Math.round(wallMs)} ms (saved ${Math.round(endMs)}), CPU ${Math.round(cpuMs)} ms, ${(peakBytes / 1e6).toFixed(1)} MB`;

/** Both must put out the same, or it is no comparison. It also is the run that warms up. */
async function compare(rig: Rig, work: works.Work): Promise<void> {
	const outputs: unknown[] = [];
	for (const side of ['ours', 'theirs'] as const) {
		await rig.takeLog();
		const path = `check-${side}-${work.name.replace(/\W+/g, '-')}`;
		const output = await rig.call(works.checked(work, side, path), path);
		const submitted = (await rig.takeLog())
			.filter(({ route }) => route.startsWith('POST'))
			.map(({ body }) => JSON.stringify(body))
			.sort();
		outputs.push(submitted.length > 0 ? submitted : output);
	}
	const [ours, theirs] = outputs;
	if (!isDeepStrictEqual(ours, theirs)) {
		const texts = outputs.map((output) => JSON.stringify(output).slice(0, 1_000));
		throw new Error(`${work.name}: the outputs differ:\n${texts.join('\n')}`);
	}
	log(`${work.name}: both put out the same`);
}

async function measurePairs(rig: Rig): Promise<Result[]> {
	const results: Result[] = [];
	for (const scenario of scenarios(rig)) {
		const { work } = scenario;
		if (!isChosen(scenario.name)) continue;
		if (!scenario.isVariant) await compare(rig, scenario.smaller ?? work);
		const ours: Figures[] = [];
		const theirs: Figures[] = [];
		const floor: Figures[] = [];
		const [our, their] = [
			await rig.create(works.measured(work, 'ours', scenario.isSaved)),
			await rig.create(works.measured(work, 'theirs', scenario.isSaved)),
		];
		for (let pair = 0; pair < Math.min(pairs, scenario.maxPairs ?? Infinity); pair++) {
			const runs = [
				async () => ours.push(await rig.run(our, START)),
				async () => theirs.push(await rig.run(their, START)),
			];
			for (const run of pair % 2 === 0 ? runs : runs.reverse()) await run();
			floor.push(await rig.floor(work.floor));
			log(`${scenario.name}\n    ours   ${shown(ours[pair] as Figures)}`);
			log(
				`   theirs ${shown(theirs[pair] as Figures)}\n    floor  ${shown(floor[pair] as Figures)}`,
			);
		}
		const result: Result = { name: scenario.name, ours, theirs, floor };
		if (scenario.isProfiled) result.profile = await rig.profile(() => rig.run(our, START));
		for (const { frame, share } of result.profile?.slice(0, 12) ?? []) {
			log(`    ${Math.round(share * 100)} % ${frame}`);
		}
		results.push(result);
	}
	return results;
}

async function measurePolls(rig: Rig, count: number, runs: number): Promise<Result> {
	const formId = polledFormOf(count);
	await rig.order({ fill: { formId, count } });
	return await rig.whilePolling(works.polls(rig, formId), async (workflow) => {
		const ours: Figures[] = [];
		const floor: Figures[] = [];
		for (let run = 0; run < runs; run++) {
			ours.push(await rig.poll(workflow, formId, NEW_ONES));
			floor.push(await rig.floor({ formId }));
			log(`poll of ${count}\n    ours   ${shown(ours[run] as Figures)}`);
			log(`   floor  ${shown(floor[run] as Figures)}`);
		}
		const profile =
			count === POLLED ? await rig.profile(() => rig.poll(workflow, formId, NEW_ONES)) : undefined;
		return { name: 'poll', ours, theirs: [], floor, profile };
	});
}

/** One work at one size; a run that n8n does not survive is no reason to stop. */
async function point(
	rig: Rig,
	work: works.Work,
	who: 'ours' | 'theirs',
	series: string,
	count: number,
): Promise<GrowthPoint> {
	const runs: Figures[] = [];
	try {
		const workflow = await rig.create(works.measured(work, who, false));
		const wanted = pairs === 1 || count === 1_000_000 ? 1 : 3;
		while (runs.length < wanted) runs.push(await rig.run(workflow, START));
	} catch (error) {
		log(`${work.name}, ${who}: ${(error as Error).message}`);
		const failure = await rig.reasonOfFailure(error as Error);
		return { series, who, count, failure };
	}
	const wallMs = median(runs.map((run) => run.wallMs));
	const peakBytes = median(runs.map((run) => run.peakBytes));
	log(`${work.name}, ${who}: ${Math.round(wallMs)} ms, ${(peakBytes / 1e6).toFixed(1)} MB`);
	return { series, who, count, wallMs, peakBytes };
}

async function measureGrowth(rig: Rig): Promise<GrowthPoint[]> {
	const points: GrowthPoint[] = [];
	for (const count of SIZES) {
		const { ours } = await measurePolls(rig, count, pairs === 1 ? 1 : 3);
		const [wallMs, peakBytes] = (['wallMs', 'peakBytes'] as const).map((figure) =>
			median(ours.map((run) => run[figure])),
		);
		points.push({ series: 'poll', who: 'ours', count, wallMs, peakBytes });
		await rig.order({ fill: { formId: formOf(count), count } });
		for (const [series, read] of [
			['all', works.readsAll],
			['limit', works.readsFirst],
			['filter', works.readsLastDay],
		] as const) {
			for (const who of ['ours', 'theirs'] as const) {
				if (series === 'filter' && who === 'theirs' && count > MOST_FILTERED) continue;
				points.push(await point(rig, read(rig, count), who, series, count));
			}
		}
	}
	return points;
}

async function measureIdle(rig: Rig): Promise<Figures[]> {
	const workflow = await rig.create(works.measured(works.doesNothing, 'ours', true));
	const idle: Figures[] = [];
	while (idle.length < Math.max(pairs, 3)) idle.push(await rig.run(workflow, START));
	return idle;
}

async function measureConnections(rig: Rig): Promise<Results['connections']> {
	const { floor } = works.submits(rig, SUBMISSIONS);
	await rig.order({ createDelayMs: 0 });
	const kept: Figures[] = [];
	const closed: Figures[] = [];
	for (let pair = 0; pair < pairs; pair++) {
		closed.push(await rig.floor(floor));
		kept.push(await rig.floor({ ...floor, keepAlive: true }));
	}
	return { kept, closed };
}

/** What n8n's start takes longer with this package: n8n-workflow is there in any case. */
async function loadMs(): Promise<number> {
	const script = `require('n8n-workflow');
		const start = process.hrtime.bigint();
		for (const file of ${JSON.stringify(['FormCollection', 'FormCollectionTrigger'])}) {
			require(${JSON.stringify(join(paths.root, 'dist/nodes/FormCollection'))} + '/' + file + '.node.js');
		}
		console.log(Number(process.hrtime.bigint() - start) / 1e6);`;
	const times: number[] = [];
	while (times.length < 7) {
		times.push(Number(await run(paths.node, ['-e', script], { cwd: paths.root })));
	}
	return median(times);
}

async function measure(): Promise<Results> {
	const start = Date.now();
	await ensureN8n({ log });
	const tarball = await packPackage();
	const { version } = JSON.parse(readFileSync(paths.n8nManifest, 'utf8')) as { version: string };
	const rig = await Rig.start(tarball);
	try {
		for (const count of [1_000, 100_000]) {
			await rig.order({ fill: { formId: formOf(count), count } });
		}
		await rig.order({ createDelayMs: SERVICE_MS });
		const results = await measurePairs(rig);
		if (isChosen('poll')) results.push(await measurePolls(rig, POLLED, pairs));
		const idle = await measureIdle(rig);
		const connections = await measureConnections(rig);
		const growth = isChosen('growth') ? await measureGrowth(rig) : [];
		return {
			date: new Date(start).toISOString().slice(0, 10),
			machine: {
				cpu: cpus()[0]?.model.trim() ?? '',
				cores: cpus().length,
				memoryBytes: totalmem(),
				node: await run(paths.node, ['--version']),
				n8n: version,
			},
			pairs,
			minutes: (Date.now() - start) / 60_000,
			results,
			growth,
			idle,
			connections,
			package: { packedBytes: (await stat(tarball)).size, loadMs: await loadMs() },
		};
	} finally {
		await rig.stop();
	}
}

async function main(): Promise<void> {
	if (!values.report) {
		const measured = await measure();
		if (values.only !== undefined) return;
		writeFileSync(resultsFile, JSON.stringify(measured, null, '\t'));
	}
	// JSON has no NaN, which stands for what could not be measured.
	const results = JSON.parse(readFileSync(resultsFile, 'utf8'), (_, value: unknown) =>
		value === null ? NaN : value,
	) as Results;
	writeFileSync(join(paths.root, 'docs', 'benchmarks.svg'), chart(results.growth));
	writeFileSync(join(paths.root, 'docs', 'benchmarks.md'), await page(results));
	log('docs/benchmarks.md, docs/benchmarks.svg');
}

main().catch((error: unknown) => {
	console.error(error);
	process.exit(1);
});
