/**
 * Measures the packed package in a real n8n beside n8n's own nodes, and writes docs/benchmarks.md and
 * docs/benchmarks.svg. Linux only: CPU time and memory come from /proc.
 *
 *   npm run bench                    7 rounds of each work, and how the cost grows
 *   npm run bench -- --pairs 1       a short try
 *   npm run bench -- --only all      one work, e.g. all, submissions, poll or growth; writes nothing
 *   npm run bench -- --report        writes the pages anew from the last figures
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
import { formOf, INBOX, polledFormOf } from './lists';
import { page } from './page';
import type { GrowthPoint, PollResult, Result, Results } from './results';
import { median } from './results';
import { type Figures, Rig } from './rig';
import {
	FILTERED,
	NEW_ONES,
	POLLED,
	type Scenario,
	scenarios,
	SERVICE_MS,
	SUBMISSIONS,
} from './scenarios';
import * as works from './works';

const SIZES = [1_000, 10_000, 100_000, 1_000_000];

/** Filter takes a minute for ten times as many. */
const MOST_FILTERED = 10_000;

const SIDES = ['ours', 'theirs', 'floor', 'empty'] as const;

const resultsFile = join(paths.data, 'bench.json');

const { values } = parseArgs({
	options: {
		pairs: { type: 'string', default: '7' },
		only: { type: 'string' },
		report: { type: 'boolean', default: false },
	},
});
const pairs = Number(values.pairs);

const isChosen = (name: string) => values.only === undefined || values.only === name;

const log = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

const shown = ({ wallMs, cpuMs, peakBytes }: Figures) =>
	`${Math.round(wallMs)} ms, CPU ${Math.round(cpuMs)} ms, ${(peakBytes / 1e6).toFixed(1)} MB`;

/** All must put out the same, or it is no comparison. It also is the run that warms up. */
async function compare(rig: Rig, work: works.Work): Promise<void> {
	const outputs: unknown[] = [];
	for (const side of ['ours', 'theirs', 'floor'] as const) {
		const workflow = await rig.publish(works.checkedWorkflow(work, side, `check-${side}`));
		await rig.takeLog();
		const output = await rig.call(workflow);
		await rig.remove(workflow);
		const submitted = (await rig.takeLog())
			.filter(({ route }) => route.startsWith('POST'))
			.map(({ body }) => JSON.stringify(body))
			.sort();
		outputs.push(submitted.length > 0 ? submitted : output);
	}
	if (!outputs.every((output) => isDeepStrictEqual(output, outputs[0]))) {
		const texts = outputs.map((output) => JSON.stringify(output).slice(0, 1_000));
		throw new Error(`${work.name}: the outputs differ:\n${texts.join('\n')}`);
	}
	log(`${work.name}: all put out the same`);
}

/** What measures a side of a work. */
async function runOf(
	rig: Rig,
	work: works.Work,
	side: works.Side,
	isSaved: boolean,
): Promise<() => Promise<Figures>> {
	if (isSaved) {
		const workflow = await rig.create(works.savedWorkflow(work, side));
		return async () => await rig.measureRun(workflow, START);
	}
	const path = `${work.name} ${side}`.replace(/\W+/g, '-');
	const workflow = await rig.publish(works.unsavedWorkflow(work, side, path));
	return async () => await rig.measureCall(workflow);
}

async function measureRounds(rig: Rig, scenario: Scenario, isSaved: boolean): Promise<Result> {
	const { work, way, does, maxPairs = Infinity } = scenario;
	const sides: Result['sides'] = { ours: [], theirs: [], floor: [], empty: [] };
	const runs = new Map<works.Side, () => Promise<Figures>>();
	for (const side of SIDES) runs.set(side, await runOf(rig, does, side, isSaved));
	for (let round = 0; round < Math.min(pairs, maxPairs); round++) {
		log([work, way, isSaved ? 'saved' : 'not saved'].filter(Boolean).join(', '));
		for (const turn of SIDES.keys()) {
			const side = SIDES[(turn + round) % SIDES.length] as works.Side;
			const figures = await runs.get(side)?.();
			if (figures) sides[side].push(figures);
			if (figures) log(`    ${side.padEnd(6)} ${shown(figures)}`);
		}
	}
	const ours = runs.get('ours');
	const profile = isSaved || !ours ? undefined : await rig.profile(ours);
	for (const { owner, share } of profile?.slice(0, 12) ?? []) {
		log(`    ${Math.round(share * 100)} % ${owner}`);
	}
	return { work, way, name: does.name, isSaved, sides, profile };
}

async function measureWorks(rig: Rig): Promise<Result[]> {
	const results: Result[] = [];
	for (const scenario of scenarios(rig)) {
		if (!isChosen(scenario.work)) continue;
		await compare(rig, scenario.does);
		for (const isSaved of [true, false]) {
			results.push(await measureRounds(rig, scenario, isSaved));
		}
	}
	return results;
}

async function measurePolls(rig: Rig, count: number): Promise<PollResult> {
	const formId = polledFormOf(count);
	await rig.order({ fill: { formId, count } });
	return await rig.whilePolling(works.polls(rig, formId), async (workflow) => {
		const ours: Figures[] = [];
		const script: Figures[] = [];
		// The peaks of both have a target.
		const runs = Math.min(pairs, count < POLLED ? 3 : Infinity);
		while (ours.length < runs) {
			ours.push(await rig.poll(workflow, formId, NEW_ONES));
			log(`poll of ${count}\n    ours   ${shown(ours.at(-1) as Figures)}`);
			if (count !== POLLED) continue;
			script.push(await rig.bareScript({ formId }));
			log(`   script ${shown(script.at(-1) as Figures)}`);
		}
		return { count, ours, script };
	});
}

const pointOf = (
	series: string,
	who: GrowthPoint['who'],
	count: number,
	runs: Figures[],
): GrowthPoint => ({
	series,
	who,
	count,
	wallMs: median(runs.map((run) => run.wallMs)),
	peakBytes: median(runs.map((run) => run.peakBytes)),
});

/** One work at one size; a run that n8n does not survive is no reason to stop. */
async function point(
	rig: Rig,
	work: works.Work,
	who: GrowthPoint['who'],
	series: string,
	count: number,
	results: Result[],
): Promise<GrowthPoint> {
	// Measured in the same way already.
	const same = results.find(({ name, isSaved }) => name === work.name && !isSaved);
	if (same) return pointOf(series, who, count, same.sides[who]);
	const runs: Figures[] = [];
	// The peak of a filter has a target.
	const most = series === 'filter' && who === 'ours' ? 5 : count === 1_000_000 ? 1 : 3;
	try {
		const run = await runOf(rig, work, who, false);
		while (runs.length < Math.min(pairs, most)) runs.push(await run());
	} catch (error) {
		log(`${work.name}, ${who}: ${(error as Error).message}`);
		const failure = await rig.reasonOfFailure(error as Error);
		return { series, who, count, failure };
	}
	for (const figures of runs) log(`${work.name}, ${who}: ${shown(figures)}`);
	return pointOf(series, who, count, runs);
}

async function measureGrowth(rig: Rig, results: Result[]): Promise<GrowthPoint[]> {
	const points: GrowthPoint[] = [];
	for (const count of SIZES) {
		await rig.order({ fill: { formId: formOf(count), count } });
		for (const [series, read] of [
			['all', works.readsAll],
			['limit', works.readsFirst],
			['filter', works.readsLastDay],
		] as const) {
			for (const who of ['ours', 'theirs', 'floor'] as const) {
				if (series === 'filter' && who === 'theirs' && count > MOST_FILTERED) continue;
				points.push(await point(rig, read(rig, count), who, series, count, results));
			}
		}
		for (const [series, read] of [
			['answer', works.readsByAnswer],
			['id', works.readsOne],
			['questions', works.readsQuestions],
		] as const) {
			points.push(await point(rig, read(rig, count), 'ours', series, count, results));
		}
	}
	return points;
}

async function measureConnections(rig: Rig): Promise<Results['connections']> {
	const { rows } = works.submits(rig, SUBMISSIONS, 'automatic');
	const submissions = { form: INBOX, rows, parallel: 10 };
	await rig.order({ createDelayMs: 0 });
	const kept: Figures[] = [];
	const closed: Figures[] = [];
	for (let pair = 0; pair < pairs; pair++) {
		closed.push(await rig.bareScript(submissions));
		kept.push(await rig.bareScript({ ...submissions, keepAlive: true }));
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
		for (const count of [1_000, FILTERED, 100_000]) {
			await rig.order({ fill: { formId: formOf(count), count } });
		}
		await rig.order({ createDelayMs: SERVICE_MS });
		const results = await measureWorks(rig);
		const polls: PollResult[] = [];
		for (const count of isChosen('poll') ? SIZES : []) polls.push(await measurePolls(rig, count));
		const growth = isChosen('growth') ? await measureGrowth(rig, results) : [];
		growth.push(...polls.map(({ count, ours }) => pointOf('poll', 'ours', count, ours)));
		const connections = await measureConnections(rig);
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
			polls,
			growth,
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
