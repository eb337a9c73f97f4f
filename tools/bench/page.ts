import { format, resolveConfig } from 'prettier';

import { table as markdownTable } from '../../playground/markdown';
import { paths } from '../../playground/paths';
import { KEPT_BY_LIMIT } from './lists';
import { type GrowthPoint, median, type Result, type Results } from './results';
import { NEW_ONES, SERVICE_MS, SUBMISSIONS } from './scenarios';

type Figure = 'requests' | 'bytes' | 'wallMs' | 'endMs' | 'cpuMs' | 'peakBytes';

const titles: Record<string, string> = {
	hundred: '100 items that ask for one form of 1,000 responses',
	'hundred, not saved': 'the same, executions not saved',
	all: 'all of 100,000 responses',
	'all, not saved': 'the same, executions not saved',
	first: `the first ${KEPT_BY_LIMIT} of 100,000`,
	'last day': 'those of the last day, 500 of 100,000',
	'by answer': 'the one with this email address, of 100,000 (Answer Filters)',
	'by ID': 'the one with this ID, in the middle of 100,000 (Response ID)',
	questions: 'the questions of a form with 100,000 (Get Questions; Code behind HTTP Request)',
	submissions: `1,000 submissions, ${SERVICE_MS} ms each`,
	'submissions, batched': 'the same, HTTP Request with Batching (50 each second, its defaults)',
	poll: `a poll: 100,000 seen, ${NEW_ONES} new`,
};

const floorNotes: Record<string, string> = {
	hundred: 'one read',
	submissions: '10 at a time',
};

/** The time that the service takes at the least, with ten requests at a time. */
const SERVICE_TIME = (SUBMISSIONS / 10) * SERVICE_MS;

interface Target {
	work: string;
	what: string;
	most: number;
	/** What it is about, and how it is shown */
	reached: (result: Result) => number;
	show: (value: number) => string;
}

const wallRatio = target('time, ours / HTTP Request', 'wallMs');
const memoryRatio = target('peak memory, ours / HTTP Request', 'peakBytes');

const targets: Target[] = [
	{
		work: 'hundred',
		what: 'requests, ours / HTTP Request',
		most: 0.01,
		reached: (result) => ratio(result, 'requests'),
		show: twoDigits,
	},
	wallRatio('hundred', 0.15),
	memoryRatio('hundred', 0.3),
	wallRatio('all', 0.7),
	memoryRatio('all', 0.6),
	wallRatio('first', 0.05),
	memoryRatio('first', 0.05),
	{
		work: 'first',
		what: 'read by n8n',
		most: 1e6,
		reached: ({ ours }) => median(ours.map(({ readBytes = NaN }) => readBytes)),
		show: megabytes,
	},
	wallRatio('last day', 0.5),
	memoryRatio('last day', 0.15),
	wallRatio('submissions', 0.7),
	memoryRatio('submissions', 1),
	{
		work: 'submissions',
		what: `time, ours / the service’s own (${seconds(SERVICE_TIME)} with 10 at a time)`,
		most: 1.25,
		reached: ({ ours }) => middle(ours, 'wallMs') / SERVICE_TIME,
		show: twoDigits,
	},
	{
		work: 'poll',
		what: 'time, ours / the bare script',
		most: 1.3,
		reached: ({ ours, floor }) => medianOfRatios(ours, floor, 'wallMs'),
		show: twoDigits,
	},
	{
		work: 'poll',
		what: 'peak memory',
		most: 40e6,
		reached: ({ ours }) => middle(ours, 'peakBytes'),
		show: megabytes,
	},
];

/** What the profile of a target that was missed means. */
const reasons: Record<string, string> = {
	hundred: `Both put out 100,000 items. Our node copies each response for each item, because nodes may change what they
get; most of the rest is what n8n takes for so many items, no matter which node made them: it saves them (\`flatted\`) and collects
garbage.`,
	all: `Both sides parse the same 47 MB and put out the same 100,000 items, and holding and saving these (\`flatted\`) takes
most of the memory. What reading alone takes shows in the row and the profile where executions are not saved: the largest
part is \`JSON.parse\`.`,
	submissions: `With 10 at a time, the service's own time is the bound for a client that takes none. All of them
together cost n8n more CPU time than that: it evaluates the credential's header and makes a connection for each one.
What a client without n8n takes shows in the row of the bare script.`,
	first: `What is left is what n8n takes for an execution, whatever its nodes do (below, at "An execution that does nothing").`,
	poll: `A poll in n8n ends with the start of an execution, which the bare script does not make.`,
};

function target(what: string, figure: Figure) {
	return (work: string, most: number): Target => ({
		work,
		what,
		most,
		reached: (result) => ratio(result, figure),
		show: twoDigits,
	});
}

function ratio({ ours, theirs }: Result, figure: Figure): number {
	return medianOfRatios(ours, theirs, figure);
}

function medianOfRatios(ours: Result['ours'], others: Result['ours'], figure: Figure): number {
	return median(ours.map((own, i) => own[figure] / (others[i]?.[figure] ?? NaN)));
}

function middle(runs: Result['ours'], figure: Figure): number {
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

function table(heads: string[], rows: string[][]): string {
	const align = heads.map((_, i) => (i < Math.min(2, heads.length - 1) ? '---' : '---:'));
	return markdownTable(heads, rows, align);
}

function row(who: string, runs: Result['ours'], name = ''): string[] {
	return [
		name,
		who,
		middle(runs, 'requests').toLocaleString('en'),
		megabytes(middle(runs, 'bytes')),
		seconds(middle(runs, 'wallMs')),
		seconds(middle(runs, 'cpuMs')),
		megabytes(middle(runs, 'peakBytes')),
	];
}

function rowsOf(result: Result): string[][] {
	const { name, ours, theirs, floor } = result;
	const note = floorNotes[name];
	const of = (figure: Figure) => twoDigits(ratio(result, figure));
	return [
		row('**Form Collection**', ours, `**${titles[name]}**`),
		...(theirs.length > 0
			? [
					row('HTTP Request', theirs),
					[
						'',
						'_ratio_',
						...(['requests', 'bytes', 'wallMs', 'cpuMs', 'peakBytes'] as const).map(of),
					],
				]
			: []),
		row(note ? `bare script, ${note}` : 'bare script', floor),
	];
}

function targetRows({ results, package: { packedBytes, loadMs } }: Results): string[][] {
	const cells = (what: string[], most: string, reached: string, isReached: boolean) => [
		...what,
		`≤ ${most}`,
		reached,
		isReached ? 'yes' : '**no**',
	];
	return [
		...targets.flatMap(({ work, what, most, reached, show }) => {
			const result = results.find(({ name }) => name === work);
			if (!result) return [];
			const value = reached(result);
			return [cells([titles[work] ?? work, what], show(most), show(value), value <= most)];
		}),
		cells(
			['the package', 'packed'],
			'40 KB',
			`${(packedBytes / 1e3).toFixed(1)} KB`,
			packedBytes <= 40e3,
		),
		cells(
			['the package', 'loading its nodes, beyond n8n-workflow'],
			'15 ms',
			`${loadMs.toFixed(1)} ms`,
			loadMs <= 15,
		),
	];
}

function misses({ results }: Results): string {
	const missed = results.filter((result) =>
		targets.some(({ work, most, reached }) => work === result.name && reached(result) > most),
	);
	if (missed.length === 0) return '';
	const parts = missed.map(({ name }) => {
		const profiles = ['', ', not saved'].flatMap((variant) => {
			const { profile } = results.find((result) => result.name === name + variant) ?? {};
			if (profile === undefined) return [];
			const heading = `Where n8n’s process spends its CPU time in our run${variant && ', executions not saved'}`;
			const frames = profile
				.slice(0, 7)
				.map(({ frame, share }) => [`\`${frame}\``, `${Math.round(share * 100)} %`]);
			return [table([heading, 'Share'], frames)];
		});
		return [`**${titles[name]}.** ${reasons[name] ?? ''}`, ...profiles].join('\n\n');
	});
	return ['## Where a target is not reached', ...parts].join('\n\n');
}

function growthTable(growth: GrowthPoint[]): string {
	const counts = [...new Set(growth.map(({ count }) => count))];
	const names: Record<string, string> = {
		all: 'all',
		limit: `the first ${KEPT_BY_LIMIT}`,
		filter: 'the last day',
		poll: 'a poll',
	};
	const rows = Object.entries(names).flatMap(([key, name]) =>
		(['ours', 'theirs'] as const).flatMap((who) => {
			const own = growth.filter((point) => point.series === key && point.who === who);
			if (own.length === 0) return [];
			const cells = counts.map((count) => {
				const point = own.find((one) => one.count === count);
				if (point === undefined) return 'not run';
				if (point.wallMs === undefined || point.peakBytes === undefined) return 'fails';
				return `${seconds(point.wallMs)}, ${megabytes(point.peakBytes)}`;
			});
			return [[name, who === 'ours' ? 'Form Collection' : 'HTTP Request', ...cells]];
		}),
	);
	return table(['', '', ...counts.map((count) => count.toLocaleString('en'))], rows);
}

function failures(growth: GrowthPoint[]): string {
	const failed = growth.filter(({ failure }) => failure !== undefined);
	const who = { ours: 'Form Collection', theirs: 'HTTP Request' };
	return failed
		.map(
			(point) =>
				`- ${point.series} of ${point.count.toLocaleString('en')}, ${who[point.who]}: ${point.failure?.split('\n')[0]}`,
		)
		.join('\n');
}

/** docs/benchmarks.md */
export async function page(data: Results): Promise<string> {
	const { machine, connections, growth, idle } = data;
	const find = (name: string) => data.results.find((result) => result.name === name) as Result;
	const saving = (side: 'ours' | 'theirs') => {
		const runs = find('all')[side];
		return seconds(median(runs.map(({ endMs, wallMs }) => endMs - wallMs)));
	};
	const failed = failures(growth);
	const text = `# Benchmarks

Written by \`npm run bench\`; do not edit. ${data.date}, ${data.pairs} ${data.pairs === 1 ? 'pair' : 'pairs'} of each work, ${Math.round(data.minutes)} minutes.
${machine.cpu}, ${machine.cores} cores, ${Math.round(machine.memoryBytes / 2 ** 30)} GiB; n8n ${machine.n8n} on Node.js ${machine.node}, its SQLite database and its default settings.

**Form Collection** is this package, packed and installed into a real n8n. **HTTP Request** is what one would use
without it: n8n's HTTP Request node, Split Out for the list, and Limit or Filter where our node has the option, with
their default settings. The **bare script** is the floor: axios and \`JSON.parse\` in Node.js, without n8n. A response is
about 500 bytes of JSON, so 100,000 are about 50 MB.

${table(
	['Work', 'With', 'Requests', 'Sent by the service', 'Time', 'CPU time', 'Peak memory above idle'],
	data.results.flatMap(rowsOf),
)}

Medians; a ratio is the median of the ratios of the pairs.

## Targets

${table(['Work', 'What', 'Target', 'Reached', ''], targetRows(data))}

${misses(data)}

## Growth

![Time and peak memory against the number of responses, both in powers of ten](benchmarks.svg)

${growthTable(growth)}

Filter is not run beyond 10,000 responses: it takes a minute for 100,000 (first table).

Limit, filter and poll keep no more of a longer list than what they put out, and a poll the ids of the newest 5,000. What
grows with it is the garbage that V8 lets lie during a longer read, which differs by tens of megabytes from run to run.

Executions are not saved here: n8n puts an execution into one string, and no string of Node.js can be longer than 512 MB.
${failed && `\nWhat did not end well, in n8n's own words:\n\n${failed}\n`}
## What n8n takes for itself

- **Saving an execution** of all of 100,000 responses takes n8n another ${saving('ours')} after our node, ${saving('theirs')} after HTTP Request
  and Split Out. It is not in the time above, but it is in CPU time and peak memory. The rows "executions not saved" show
  the work without it.
- **An execution that does nothing**, of a Manual Trigger and a No Operation, takes ${seconds(middle(idle, 'wallMs'))} and ${seconds(middle(idle, 'cpuMs'))} of CPU time.
- **Connections.** n8n's request helper makes a new connection for each request (\`Connection: close\`), and a node cannot
  change that. In the bare script, ${SUBMISSIONS.toLocaleString('en')} submissions to a service that takes no time need ${seconds(middle(connections.closed, 'wallMs'))} and
  ${seconds(middle(connections.closed, 'cpuMs'))} of CPU time with new connections, ${seconds(middle(connections.kept, 'wallMs'))} and ${seconds(middle(connections.kept, 'cpuMs'))} with kept ones. That is on
  one machine without TLS; a handshake over the internet costs two round trips or more each.
- **HTTP Request sends all items at once** unless its option Batching is added: 1,000 items are 1,000 connections at the
  same moment. Our node sends 10 at a time, because a service with a limit would refuse most of those. With Batching at
  its defaults (50 items, 1,000 ms) HTTP Request waits a second after each 50.

## How it is measured

- Both sides do the same work in turn in the same n8n and the same run; the order changes from pair to pair. Before, each
  runs once in a workflow that ends by collecting an id and an answer of each item, and the bench stops if the two differ. Of submissions, it compares what the service got.
- The sandbox runs in a process of its own and sends lists that lie ready in memory.
- **Time**: from \`startedAt\` to \`stoppedAt\` of the execution, as n8n notes them; where executions are not saved, from the
  start until n8n no longer lists it. A poll: from its request to the start of the execution that it makes.
- **CPU time**: user and system time of n8n's main process (\`/proc/<pid>/stat\`), until the execution is saved.
- **Peak memory**: the highest resident memory during the run (\`VmHWM\`, set back by writing 5 to \`clear_refs\`) less that
  just before it (\`VmRSS\`), after a garbage collection that the bench asks for over Node.js's inspector.
- **Sent by the service**: what the sandbox wrote to its sockets. Of a read that is left early, most of that is still in
  the buffers of the connection, which the kernel sizes.
- **Read by n8n**: what its main process has read, from sockets and from files (\`rchar\` in \`/proc/<pid>/io\`).
- **A poll** is one by n8n's own schedule, every ten seconds, of a published workflow. ${NEW_ONES} responses come in before each.
- **Loading** is \`require\` of both node files in a new process that has n8n-workflow loaded; the median of seven.
- **Profiles** are of one more run each, with V8's sampling profiler.

Again: \`npm run bench\` (Linux, ${Math.round(data.minutes)} minutes; \`-- --quick\` for one pair). Figures differ from machine to machine and with what
else runs on it; the ratios much less.
`;
	return await format(text, {
		...(await resolveConfig(`${paths.root}/README.md`)),
		parser: 'markdown',
	});
}
