import { LoggerProxy } from 'n8n-workflow';
import { inspect } from 'node:util';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { loadOptions } from '../support/engine';
import { startFastClock } from '../support/fastClock';
import type { FaultCase } from '../support/faultMatrix/faults';
import { apiKey, faultCases } from '../support/faultMatrix/faults';
import type { Seen } from '../support/faultMatrix/places';
import { OK, places } from '../support/faultMatrix/places';
import { credentialsOf, formRecord, responseRecord } from '../support/formCollection';

/** Each fault at each place: this snapshot is the only test of whole sentences. */

/** Longer ones do not fit beside the node. The credential test shows the description as well. */
const LONGEST_MESSAGE = 140;

/** What was observed of one fault at one place. */
interface Cell extends Seen {
	fault: FaultCase;
	place: string;
	/** Those that reached the service */
	requests: number;
	posts: number;
	created: number;
}

const forms = [formRecord('f1')];
const responses = [responseRecord('f1', 'r1')];
const cells: Cell[] = [];
const printed: unknown[] = [];
let elsewhere: Sandbox;

async function observe(fault: FaultCase, place: string): Promise<Cell> {
	const service = await startSandbox({ apiKey, forms, responses });
	const visit = await places[place]!(credentialsOf(service), () =>
		service.responses.push(responseRecord('f1', 'r2')),
	);
	service.log.length = 0;
	const stored = service.responses.length;
	service.faults.add(...(fault.faults ?? []));
	const baseUrl = (await fault.address?.(service)) ?? service.baseUrl;
	const seen = await visit({ baseUrl, apiKey }, fault.isSilent ? { timeout: 10 } : {});
	await service.stop();
	return {
		...seen,
		fault,
		place,
		message: seen.message
			.replaceAll(new URL(baseUrl).origin, 'https://forms.example.com')
			.replaceAll(elsewhere.url, 'https://elsewhere.example.com')
			// It depends on the network which of the two an unknown host gives.
			.replace('EAI_AGAIN', 'ENOTFOUND')
			// What is left of 10 seconds when the answer is made.
			.replace(/in [5-9] seconds(?=$|\. )/, 'in 10 seconds'),
		requests: service.log.length,
		posts: service.log.filter(({ method }) => method === 'POST').length,
		created: service.responses.length - stored,
	};
}

beforeAll(async () => {
	// Every logger of n8n prints by this one method; the level of the tests only mutes it.
	const { logger } = loadOptions({ parameters: {}, credentials: {} });
	Object.getPrototypeOf(logger).log = (...line: unknown[]) => void printed.push(line);
	LoggerProxy.init(logger);

	elsewhere = await startSandbox({ apiKey, forms, responses });
	const stopClock = startFastClock();
	// All at once, because most of the time goes by waiting.
	const pending = (await faultCases(elsewhere)).flatMap((fault) =>
		Object.keys(places).map(async (place) => await observe(fault, place)),
	);
	cells.push(...(await Promise.all(pending)));
	stopClock();
}, 90_000);

afterAll(async () => await elsewhere.stop());

/** Adds an element to the list of its key; the lists keep the order of their first elements. */
function grouped<T>(elements: T[], keyOf: (element: T) => string): [string, T[]][] {
	const groups = new Map<string, T[]>();
	for (const element of elements) {
		const key = keyOf(element);
		groups.set(key, [...(groups.get(key) ?? []), element]);
	}
	return [...groups];
}

const lineOf = ({ outcome, created, requests, output, message }: Cell) =>
	[
		`${requests} sent`,
		outcome && `${created} stored, ${outcome}`,
		`${output} out: ${message}`,
	].filter(Boolean);

it('is what the snapshot says: requests sent, what was stored, output, and the message', () => {
	const matrix = grouped(cells, ({ fault }) => fault.name).map(([name, ofFault]) => {
		const lines = grouped(ofFault, (cell) => lineOf(cell).join(', ')).map(
			([line, same]) => `  ${same.map(({ place }) => place).join(', ')}: ${line}`,
		);
		return [name, ...lines].join('\n');
	});

	expect(`\n${matrix.join('\n')}\n`).toMatchSnapshot();
});

/** In each cell of the matrix. The snapshot shows that there are such cells. */
it.each<[string, (cell: Cell) => boolean]>([
	[
		'sends a submission again only where the fault proves that it was not taken',
		({ posts, fault }) => posts <= 1 || fault.notTaken === true,
	],
	[
		'creates a response at most once, and nothing while it reads',
		({ place, created, posts }) =>
			place === 'Create Response' ? created <= 1 && posts <= 3 : created + posts === 0,
	],
	[
		'calls the outcome unknown wherever a response was stored that is not in the output',
		({ created, output, outcome }) =>
			outcome === undefined || created <= output || outcome === 'unknown',
	],
	[
		'calls only that refused or not sent which is not stored, and not sent only what did not arrive',
		({ created, requests, outcome }) =>
			(outcome !== 'refused' || created === 0) && (outcome !== 'not sent' || requests === 0),
	],
	[
		'reads at most three times, a trigger and a credential test once',
		({ place, requests }) => requests <= (/^(Trigger|Credential test)$/.test(place) ? 1 : 3),
	],
	[
		'puts something out exactly where it works',
		({ message, output }) => (message === OK) === output > 0,
	],
	[
		'names the next step wherever it does not work',
		({ message, output }) =>
			output > 0 || /: .*\b(ask|check|copy|enter|select|set|shorten|start|try|wait) /.test(message),
	],
	[
		'says it in one line, without words that alarm or that only programmers know',
		({ message }) => !/error|problem|failure|mistake|undefined|E[A-Z]{4,}|\n/.test(message),
	],
	[
		'says it in at most 140 characters',
		({ place, message }) => place === 'Credential test' || message.length <= LONGEST_MESSAGE,
	],
])('%s', (_, holds) => {
	const wrong = cells.filter((cell) => !holds(cell));

	expect(wrong.map(({ fault, place, message }) => `${fault.name}, ${place}: ${message}`)).toEqual(
		[],
	);
});

it('sends nothing to where the service redirects', () => {
	expect(elsewhere.log).toEqual([]);
});

it('shows the key nowhere: message, output, error, static data, log', () => {
	const spellings = [apiKey, encodeURIComponent(apiKey), 'with==signs', 'with&#61;&#61;signs'];
	const shows = (thing: unknown) => {
		const texts = [inspect(thing, { depth: Infinity, showHidden: true }), JSON.stringify(thing)];
		return spellings.some((spelling) => texts.some((text) => text.includes(spelling)));
	};

	expect(shows({ message: `The service got ${apiKey}` })).toBe(true);
	const showing = cells.filter(({ message, everything }) => shows([message, everything]));
	expect(showing.map(({ fault, place }) => [fault.name, place])).toEqual([]);
	expect(JSON.stringify(printed)).toContain('finished with error');
	expect(printed.filter(shows)).toEqual([]);
}, 30_000);
