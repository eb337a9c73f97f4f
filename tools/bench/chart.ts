import type { GrowthPoint } from './results';

const WIDTH = 440;
const HEIGHT = 400;
const LEFT = 68;
const TOP = 44;
const PLOT = { width: WIDTH - LEFT - 44, height: 300 };
const LEGEND_HEIGHT = 96;

const series: Record<string, string> = {
	all: 'all responses',
	filter: 'those of the last day (500)',
	limit: 'the first 50',
	poll: 'a poll with 10 new ones',
};

const style = `
	text { font: 12px system-ui, sans-serif; fill: #333 }
	.title { font-weight: 600; font-size: 14px }
	.end { text-anchor: end } .middle { text-anchor: middle }
	rect { fill: #fff }
	.grid { stroke: #ddd } .axis { stroke: #888; fill: none }
	polyline { fill: none; stroke-width: 2 }
	.theirs { stroke-dasharray: 6 4 } .floor { stroke-dasharray: 1.5 3 }
	.all { --color: #d6336c } .filter { --color: #1971c2 } .limit { --color: #2b8a3e } .poll { --color: #b35c00 }
	polyline, line.key { stroke: var(--color) } circle { fill: var(--color) }
	line.key { stroke-width: 2 } line.plain { --color: #666 }
	@media (prefers-color-scheme: dark) {
		text { fill: #ddd } rect { fill: #0d1117 } .grid { stroke: #2c323b } .axis { stroke: #777 }
		.all { --color: #f783ac } .filter { --color: #74c0fc } .limit { --color: #69db7c } .poll { --color: #ffa94d }
		line.plain { --color: #aaa }
	}`;

interface Scale {
	from: number;
	to: number;
	name: (value: number) => string;
}

/** Powers of ten around the values. */
function scaleOf(values: number[], name: Scale['name']): Scale {
	return {
		from: Math.floor(Math.log10(Math.min(...values))),
		to: Math.ceil(Math.log10(Math.max(...values))),
		name,
	};
}

const ticks = ({ from, to }: Scale) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

const share = ({ from, to }: Scale, value: number) => (Math.log10(value) - from) / (to - from);

function panel(
	title: string,
	left: number,
	points: { series: string; who: string; count: number; value: number }[],
	name: Scale['name'],
): string {
	const counts = scaleOf(
		points.map(({ count }) => count),
		(value) => value.toLocaleString('en'),
	);
	const values = scaleOf(
		points.map(({ value }) => value),
		name,
	);
	const x = (count: number) => Math.round(left + LEFT + share(counts, count) * PLOT.width);
	const y = (value: number) => Math.round(TOP + (1 - share(values, value)) * PLOT.height);
	const bottom = TOP + PLOT.height;
	const lines = ticks(values).map((power) => {
		const at = y(10 ** power);
		return `<path class="grid" d="M${x(10 ** counts.from)} ${at}h${PLOT.width}"/><text class="end" x="${left + LEFT - 8}" y="${at + 4}">${values.name(10 ** power)}</text>`;
	});
	const columns = ticks(counts).map((power) => {
		const at = x(10 ** power);
		return `<path class="grid" d="M${at} ${TOP}v${PLOT.height}"/><text class="middle" x="${at}" y="${bottom + 18}">${counts.name(10 ** power)}</text>`;
	});
	const curves = Object.keys(series).flatMap((key) =>
		['floor', 'theirs', 'ours'].map((who) => {
			const own = points.filter((point) => point.series === key && point.who === who);
			const places = own.map(({ count, value }) => [x(count), y(value)]);
			const dots = places.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3"/>`);
			return `<g class="${key}"><polyline class="${who}" points="${places.join(' ')}"/>${dots.join('')}</g>`;
		}),
	);
	return [
		`<text class="title" x="${left + LEFT}" y="24">${title}</text>`,
		...lines,
		...columns,
		`<path class="axis" d="M${left + LEFT} ${TOP}v${PLOT.height}h${PLOT.width}"/>`,
		`<text class="middle" x="${left + LEFT + PLOT.width / 2}" y="${bottom + 38}">responses of the form</text>`,
		...curves,
	].join('\n');
}

function legend(): string {
	const key = (classes: string, text: string, column: number, row: number) => {
		const at = LEFT + column * 270;
		const y = HEIGHT + 14 + row * 24;
		return `<line class="key ${classes}" x1="${at}" x2="${at + 28}" y1="${y}" y2="${y}"/><text x="${at + 36}" y="${y + 4}">${text}</text>`;
	};
	return [
		...Object.entries(series).map(([name, text], i) => key(name, text, i % 2, i >> 1)),
		key('plain', 'Form Collection', 2, 0),
		key('plain theirs', 'HTTP Request and n8n’s other nodes', 2, 1),
		key('plain floor', 'a ten-line node', 2, 2),
	].join('\n');
}

function time(ms: number): string {
	return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`;
}

function size(megabytes: number): string {
	return megabytes < 1_000 ? `${megabytes} MB` : `${megabytes / 1_000} GB`;
}

/** Time and memory against the number of responses. */
export function chart(growth: GrowthPoint[]): string {
	const values = (of: (point: GrowthPoint) => number | undefined) =>
		growth.flatMap((point) => {
			const value = of(point);
			return value === undefined ? [] : [{ ...point, value }];
		});
	const width = 2 * WIDTH;
	const height = HEIGHT + LEGEND_HEIGHT;
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Time and memory against the number of responses">
<style>${style}
</style>
<rect width="100%" height="100%" rx="8"/>
${panel(
	'Time',
	0,
	values(({ wallMs }) => wallMs),
	time,
)}
${panel(
	'Peak memory above idle',
	WIDTH,
	// A process does not always need more than it has.
	values(({ peakBytes }) => peakBytes && Math.max(peakBytes / 1e6, 0.1)),
	size,
)}
${legend()}
</svg>
`;
}
