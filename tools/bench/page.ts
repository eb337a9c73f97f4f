import { format, resolveConfig } from 'prettier';

import { table as markdownTable } from '../../playground/markdown';
import { paths } from '../../playground/paths';
import { KEPT_BY_LIMIT } from './lists';
import { type GrowthPoint, median, type Result, type Results } from './results';
import type { Figures } from './rig';
import { FILTERED, NEW_ONES, POLLED, SERVICE_MS, SUBMISSIONS } from './scenarios';

type Figure = 'requests' | 'bytes' | 'wallMs' | 'cpuMs' | 'peakBytes';

const titles: Record<string, string> = {
	hundred: '100 items that ask for one form of 1,000 responses',
	all: 'all of 100,000 responses',
	first: `the first ${KEPT_BY_LIMIT} of 100,000`,
	'last day': `those of the last day, 500 of ${FILTERED.toLocaleString('en')}`,
	submissions: `${SUBMISSIONS.toLocaleString('en')} submissions, ${SERVICE_MS} ms each`,
};

/** Those that have an expression for each item on all sides. */
const ONE_EXPRESSION = ['one mapped column', 'JSON'];

type Against = 'HTTP Request' | 'HTTP Request, net' | 'the floor node';

interface Target {
	work: string;
	ways?: string[];
	against: Against;
	most: number;
}

const targets: Target[] = [
	{ work: 'submissions', ways: ONE_EXPRESSION, against: 'the floor node', most: 0.85 },
	{ work: 'submissions', ways: ONE_EXPRESSION, against: 'HTTP Request, net', most: 0.8 },
	{ work: 'submissions', ways: ['automatic mapping'], against: 'HTTP Request, net', most: 0.5 },
	{ work: 'all', against: 'the floor node', most: 0.75 },
	{ work: 'hundred', against: 'HTTP Request, net', most: 0.2 },
	{ work: 'first', against: 'HTTP Request, net', most: 0.07 },
];

/** The peak at 1,000,000 responses against that at 100,000. */
const MOST_GROWTH = 1.5;

const growthNames: Record<string, string> = {
	all: 'all',
	limit: `the first ${KEPT_BY_LIMIT}`,
	filter: 'the last day',
	answer: 'one email address (Answer Filters)',
	id: 'one Response ID, in the middle',
	questions: 'Get Questions',
	poll: 'a poll',
};

/** What the profile of a target that was missed means. */
const reasons: Record<string, string> = {
	hundred: `All sides put out 100,000 items. Our node reads the form once, and copies each response for each item, because nodes
may change what they get; most of the rest is what n8n takes for so many items, no matter which node made them.`,
	all: `All sides parse the same 47 MB and put out the same 100,000 items. Most of the time is \`JSON.parse\`, and collecting the
garbage of so many items.`,
	first:
		'What is left is the connection, and what n8n takes for an execution, whatever its nodes do.',
	submissions: `n8n evaluates the expression of each item in a sandbox (\`evalClosureSync\`, \`n8n-workflow\`,
\`@n8n/expression-runtime\`), and makes a connection and a request for it (\`Node.js\`, \`axios\`, \`connect\`). Only what
\`n8n-nodes-form-collection\` takes is ours: the submission log, checks, and the reading of the reply.
Submissions begin one after the other, with a turn of Node.js's event loop between them: begun at once, ten of them wait
for each other's connections, and then for the service together.`,
};

const ratios: Record<Against, (ours: number, sides: Record<string, number>) => number> = {
	'HTTP Request': (ours, { theirs = NaN }) => ours / theirs,
	'HTTP Request, net': (ours, { theirs = NaN, empty = NaN }) => (ours - empty) / (theirs - empty),
	'the floor node': (ours, { floor = NaN }) => ours / floor,
};

/** The median of the ratios of the rounds. */
function ratio({ sides }: Result, against: Against, figure: Figure = 'wallMs'): number {
	return median(
		sides.ours.map((run, round) => {
			const others = Object.entries(sides).map(([side, runs]) => [side, runs[round]?.[figure]]);
			return ratios[against](run[figure], Object.fromEntries(others) as Record<string, number>);
		}),
	);
}

function middle(runs: Figures[], figure: Figure): number {
	return median(runs.map((run) => run[figure]));
}

function twoDigits(value: number): string {
	return value.toFixed(2);
}

function seconds(ms: number): string {
	return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

function megabytes(bytes: number): string {
	return `${(bytes / 1e6).toFixed(bytes < 10e6 ? 2 : 0)} MB`;
}

function table(heads: string[], rows: string[][], texts = 2): string {
	const align = heads.map((_, i) => (i < texts ? '---' : '---:'));
	return markdownTable(heads, rows, align);
}

function conditionOf({ way, isSaved }: Result): string {
	return [way, isSaved ? 'saved' : 'not saved'].filter(Boolean).join(', ');
}

/** Two ways of measuring agree where they differ by no more than this. */
const AGREEMENT = 1.15;

function inShort(results: Result[]): string {
	const works = [...new Set(results.map(({ work }) => work))];
	const rows = works.map((work) => {
		const own = results.filter((result) => result.work === work);
		const cells = (['HTTP Request, net', 'the floor node'] as const).map((against) => {
			const values = own.map((result) => ratio(result, against)).sort((a, b) => a - b);
			const [least = NaN] = values;
			const most = values.at(-1) ?? NaN;
			if (most / least <= AGREEMENT) return `**${twoDigits(median(values))}**`;
			const ends = [...new Set([least, most].map(twoDigits))];
			return `${ends.join(' to ')}, see below`;
		});
		return [titles[work] ?? work, ...cells];
	});
	return table(['Work', 'Time, of HTTP Request’s, net', 'Time, of the floor node’s'], rows, 1);
}

function figuresTable(
	results: Result[],
	figure: Figure,
	show: (value: number) => string,
	against: Against[],
): string {
	let last = '';
	const rows = results.map((result) => {
		const { work, sides } = result;
		const title = work === last ? '' : `**${titles[work]}**`;
		last = work;
		const own = (['ours', 'theirs', 'floor', 'empty'] as const).map((side) =>
			show(middle(sides[side], figure)),
		);
		const others = against.map((side) => twoDigits(ratio(result, side, figure)));
		return [title, conditionOf(result), ...own, ...others];
	});
	const heads = ['Form Collection', 'HTTP Request', 'floor node', 'empty workflow'];
	return table(['Work', 'Condition', ...heads, ...against.map((side) => `/ ${side}`)], rows);
}

function requestsTable(results: Result[]): string {
	const works = new Map(results.map((result) => [result.work, result]));
	const rows = [...works].map(([work, { sides }]) => [
		titles[work] ?? work,
		...(['ours', 'theirs', 'floor'] as const).map((side) => {
			const requests = middle(sides[side], 'requests').toLocaleString('en');
			return `${requests}, ${megabytes(middle(sides[side], 'bytes'))}`;
		}),
	]);
	return table(['Work', 'Form Collection', 'HTTP Request', 'floor node'], rows, 1);
}

function missedBy(result: Result): boolean {
	return targets.some(
		(target) => isFor(target, result) && ratio(result, target.against) > target.most,
	);
}

function isFor({ work, ways }: Target, result: Result): boolean {
	return work === result.work && (ways === undefined || ways.includes(result.way ?? ''));
}

function peakGrowth(growth: GrowthPoint[], series: string): number {
	const [small, large] = [100_000, 1_000_000].map(
		(count) =>
			growth.find((one) => one.series === series && one.who === 'ours' && one.count === count)
				?.peakBytes ?? NaN,
	) as [number, number];
	return large / small;
}

function targetRows({ results, growth }: Results): string[][] {
	const cells = (what: string[], most: number, value: number) => [
		...what,
		`≤ ${twoDigits(most)}`,
		twoDigits(value),
		value <= most ? 'yes' : '**no**',
	];
	return [
		...targets.flatMap((target) =>
			results
				.filter((result) => isFor(target, result))
				.map((result) => {
					const { work, against, most } = target;
					const what = [titles[work] ?? work, conditionOf(result), `time / ${against}`];
					return cells(what, most, ratio(result, against));
				}),
		),
		...['filter', 'poll'].map((series) => {
			const what = [growthNames[series] ?? series, '', 'peak at 1,000,000 / at 100,000'];
			return cells(what, MOST_GROWTH, peakGrowth(growth, series));
		}),
	];
}

function misses({ results }: Results): string {
	const missed = results.filter(missedBy);
	const works = [...new Set(missed.map(({ work }) => work))];
	if (works.length === 0) return '';
	const parts = works.map((work) => {
		const profiles = results
			.filter((result) => result.work === work && result.profile !== undefined)
			.filter((result) => targets.some((target) => isFor(target, result)))
			.map((result) => {
				const heading = `CPU time of n8n’s process in our run: ${conditionOf(result)}`;
				const rows = (result.profile ?? [])
					.slice(0, 10)
					.map(({ owner, share }) => [`\`${owner}\``, `${Math.round(share * 100)} %`]);
				return table([heading, 'Share'], rows, 1);
			});
		return [`**${titles[work]}.** ${reasons[work] ?? ''}`, ...profiles].join('\n\n');
	});
	return ['## Where a target is not reached', ...parts].join('\n\n');
}

const whoNames = { ours: 'Form Collection', theirs: 'HTTP Request', floor: 'floor node' };

function growthTable(growth: GrowthPoint[]): string {
	const counts = [...new Set(growth.map(({ count }) => count))].sort((a, b) => a - b);
	const rows = Object.entries(growthNames).flatMap(([key, name]) =>
		(['ours', 'theirs', 'floor'] as const).flatMap((who) => {
			const own = growth.filter((point) => point.series === key && point.who === who);
			if (own.length === 0) return [];
			const cells = counts.map((count) => {
				const point = own.find((one) => one.count === count);
				if (point === undefined) return 'not run';
				if (point.wallMs === undefined || point.peakBytes === undefined) return 'fails';
				return `${seconds(point.wallMs)}, ${megabytes(point.peakBytes)}`;
			});
			return [[name, whoNames[who], ...cells]];
		}),
	);
	return table(['', '', ...counts.map((count) => count.toLocaleString('en'))], rows);
}

function failures(growth: GrowthPoint[]): string {
	const failed = growth.filter(({ failure }) => failure !== undefined);
	return failed
		.map(
			({ series, count, who, failure }) =>
				`- ${growthNames[series]} of ${count.toLocaleString('en')}, ${whoNames[who]}: ${failure?.split('\n')[0]}`,
		)
		.join('\n');
}

/** docs/benchmarks.md */
export async function page(data: Results): Promise<string> {
	const { machine, connections, growth, results, polls } = data;
	const poll = polls.find(({ count }) => count === POLLED);
	const { packedBytes, loadMs } = data.package;
	const failed = failures(growth);
	const text = `# Benchmarks

Written by \`npm run bench\`; do not edit. ${data.date}, ${data.pairs} ${data.pairs === 1 ? 'round' : 'rounds'} of each work, ${Math.round(data.minutes)} minutes.
${machine.cpu}, ${machine.cores} cores, ${Math.round(machine.memoryBytes / 2 ** 30)} GiB; n8n ${machine.n8n} on Node.js ${machine.node}, its SQLite database and its default settings.

- **Form Collection** is this package, packed and installed into a real n8n.
- **HTTP Request** is what one would use without it: n8n's HTTP Request node, Split Out for the list, and Limit or Filter
  where our node has the option, with their default settings and our credential.
- The **floor node** is the least that a node of one's own takes: n8n's request helper once for each item, ten at a time, with our
  credential, which n8n then reads for each request, and nothing else ([its code](../tools/bench/floorNode/FloorNode.node.js)).
- The **empty workflow** has a No Operation node in the place of these. A ratio is **net** if its time was taken off both sides.

Each work is measured in two ways: **saved**, with n8n's default settings, started by hand and timed by n8n itself; and **not
saved**, called over a webhook and timed from outside. A response is about 500 bytes of JSON, so 100,000 are about 50 MB.

## In short

${inShort(results)}

A single figure stands where all ways of measuring agree within 15 %. Everything else depends on the condition.

## Figures

Medians; a ratio is the median of the ratios of the rounds.

### Time

${figuresTable(results, 'wallMs', seconds, ['HTTP Request', 'HTTP Request, net', 'the floor node'])}

**Automatic mapping** evaluates no expression in our node, HTTP Request and the floor node one for each item. With **one mapped column**
and as **JSON**, each side evaluates one for each item. With **four mapped columns** our node evaluates four, the others one.

### CPU time

${figuresTable(results, 'cpuMs', seconds, ['HTTP Request, net', 'the floor node'])}

### Peak memory above idle

${figuresTable(results, 'peakBytes', megabytes, ['HTTP Request', 'the floor node'])}

### Requests, and what the service sent

${requestsTable(results)}

## Targets

${table(['Work', 'Condition', 'What', 'Target', 'Reached', ''], targetRows(data), 3)}

${misses(data)}

## Growth

![Time and peak memory against the number of responses, both in powers of ten](benchmarks.svg)

${growthTable(growth)}

First, filter and poll keep no more of a longer list than what they put out, and a poll the IDs of the newest 5,000. Their
peak grows with V8’s young generation, which widens during a longer read: our list reader alone, in Node.js 24, peaks 78 MB above
idle over 1,000,000 responses, and 2 MB with \`--max-semi-space-size=1\`. A node cannot set that.

Executions are not saved here: n8n puts an execution into one string, and no string of Node.js can be longer than 512 MB.
Filter is not run beyond 10,000 responses: it takes a minute for 100,000.

A poll of ${POLLED.toLocaleString('en')} with ${NEW_ONES} new ones takes ${seconds(middle(poll?.ours ?? [], 'wallMs'))}. A bare script of axios and \`JSON.parse\`, without n8n, takes
${seconds(middle(poll?.script ?? [], 'wallMs'))} to read them, and ${megabytes(middle(poll?.script ?? [], 'peakBytes'))}.
${failed && `\nWhat did not end well, in n8n's own words:\n\n${failed}\n`}
## What n8n takes for itself

- **Connections.** n8n's request helper makes a new connection for each request (\`Connection: close\`), and a node cannot
  change that. In a bare script, ${SUBMISSIONS.toLocaleString('en')} submissions to a service that takes no time need ${seconds(middle(connections.closed, 'wallMs'))} and
  ${seconds(middle(connections.closed, 'cpuMs'))} of CPU time with new connections, ${seconds(middle(connections.kept, 'wallMs'))} and ${seconds(middle(connections.kept, 'cpuMs'))} with kept ones. That is on
  one machine without TLS; a handshake over the internet costs two round trips or more each.
- **HTTP Request sends all items at once** unless its option Batching is added: 1,000 items are 1,000 connections at the
  same moment. Our node sends 10 at a time, because a service with a limit would refuse most of those.
- **The package** has ${(packedBytes / 1e3).toFixed(1)} KB, packed. Loading its nodes takes ${loadMs.toFixed(1)} ms beyond n8n-workflow.

## How it is measured

- All sides do the same work in turn in the same n8n and the same run; the order changes from round to round. Before, each
  runs once in a workflow that ends by collecting an ID and an answer of each item, and the bench stops if they differ. Of submissions, it compares what the service got.
- The sandbox runs in a process of its own and sends lists that lie ready in memory.
- **Time**, saved: from \`startedAt\` to \`stoppedAt\` of the execution, as n8n notes them, without the saving itself. Not saved:
  from the call of the webhook to its answer when the last node is done. A poll: from its request to the start of the execution that it makes.
- **CPU time**: user and system time of n8n's main process (\`/proc/<pid>/stat\`), until the execution is saved.
- **Peak memory**: the highest resident memory during the run (\`VmHWM\`, set back by writing 5 to \`clear_refs\`) less that
  just before it (\`VmRSS\`), after a garbage collection that the bench asks for over Node.js's inspector.
- **What the service sent**: what the sandbox wrote to its sockets. Of a read that is left early, most of that is still in
  the buffers of the connection, which the kernel sizes.
- **A poll** is one by n8n's own schedule, every ten seconds, of a published workflow. ${NEW_ONES} responses come in before each.
- **Loading** is \`require\` of both node files in a new process that has n8n-workflow loaded; the median of seven.
- **Profiles** are of one more run each, with V8's sampling profiler.
- Works with HTTP Request's Filter and with four mapped columns have 3 rounds, a size in Growth 1 to 5.

Again: \`npm run bench\` (Linux, ${Math.round(data.minutes)} minutes; \`-- --pairs 1\` for a short try). Figures differ from machine to machine and with what
else runs on it; the ratios much less.
`;
	return await format(text, {
		...(await resolveConfig(`${paths.root}/README.md`)),
		parser: 'markdown',
	});
}
