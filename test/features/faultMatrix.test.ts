import { LoggerProxy } from 'n8n-workflow';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { loadOptions } from '../support/engine';
import type { FaultCase } from '../support/faultMatrix/faults';
import { apiKey, faultCases } from '../support/faultMatrix/faults';
import type { Cell } from '../support/faultMatrix/page';
import { faultsPage, titleOf } from '../support/faultMatrix/page';
import { places } from '../support/faultMatrix/places';
import { startFastClock } from '../support/fastClock';
import { credentialsOf, formRecord, responseRecord } from '../support/formCollection';

const LOOK_FIRST = 'check whether the response was stored before you send it again';
const pagePath = join(__dirname, '..', '..', 'docs', 'faults.md');

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
		sentence: seen.sentence
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

const told = (wrong: Cell[]) =>
	wrong.map(({ fault, place, sentence }) => `${titleOf(fault)}, ${place}: ${sentence}`);

it('is what the page for users says', () => {
	const page = faultsPage(cells);
	if (process.env.WRITE_DOCS) writeFileSync(pagePath, page);

	expect(page).toBe(readFileSync(pagePath, 'utf8'));
});

it('sends a submission again only where the fault proves that it was not taken', () => {
	expect(told(cells.filter(({ fault, posts }) => posts > 1 && !fault.notTaken))).toEqual([]);
	expect(cells.some(({ posts }) => posts > 1)).toBe(true);
});

it('creates a response at most once, and nothing while it reads', () => {
	const most = (place: string) => Number(place === 'Create Response');

	expect(told(cells.filter(({ place, created }) => created > most(place)))).toEqual([]);
	expect(told(cells.filter(({ place, posts }) => posts > 3 * most(place)))).toEqual([]);
});

it('says to look first wherever a response was stored that is not in the output', () => {
	const unsettled = cells.filter(
		({ place, created, output }) => place === 'Create Response' && created !== output,
	);

	expect(told(unsettled.filter(({ sentence }) => !sentence.includes(LOOK_FIRST)))).toEqual([]);
	expect(unsettled.length).toBeGreaterThan(10);
});

it('reads at most three times, a trigger and a credential test once', () => {
	const most = ({ place }: Cell) => (/^(Trigger|Credential test)$/.test(place) ? 1 : 3);

	expect(told(cells.filter((cell) => cell.requests > most(cell)))).toEqual([]);
});

it('sends nothing to where the service redirects', () => {
	expect(cells.filter(({ fault }) => fault.chapter === 'Redirects').length).toBeGreaterThan(20);
	expect(elsewhere.log).toEqual([]);
});

it('puts something out exactly where it works', () => {
	const works = (cell: Cell) => /^It works$|^Connection successful!$/.test(cell.sentence);

	expect(told(cells.filter((cell) => works(cell) !== cell.output > 0))).toEqual([]);
	expect(cells.filter(works).length).toBeGreaterThan(10);
});

it('names the next step wherever it does not work', () => {
	const steps = /: .*\b(ask|check|copy|enter|select|set|shorten|start|try) /;

	expect(
		told(cells.filter(({ sentence, output }) => output === 0 && !steps.test(sentence))),
	).toEqual([]);
});

it('speaks in one line, without words that alarm or that only programmers know', () => {
	expect(
		told(
			cells.filter(({ sentence }) =>
				/error|problem|failure|mistake|undefined|E[A-Z]{4,}|\n/.test(sentence),
			),
		),
	).toEqual([]);
});

it('shows the key nowhere: sentence, output, error, static data, log', () => {
	const spellings = [apiKey, encodeURIComponent(apiKey), apiKey.replace('/', '\\/'), 'with==signs'];
	const shows = (thing: unknown) => {
		const texts = [inspect(thing, { depth: Infinity, showHidden: true }), JSON.stringify(thing)];
		return spellings.some((spelling) => texts.some((text) => text.includes(spelling)));
	};

	expect(shows({ message: words(apiKey) })).toBe(true);
	expect(told(cells.filter(({ sentence, everything }) => shows([sentence, everything])))).toEqual(
		[],
	);
	expect(JSON.stringify(printed)).toContain('finished with error');
	expect(printed.filter(shows)).toEqual([]);
}, 30_000);

const words = (key: string) => `The service got ${key}`;
