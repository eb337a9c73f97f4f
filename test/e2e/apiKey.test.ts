import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { SavedWorkflow } from '../../playground/n8nClient';
import { until } from '../../playground/run';
import { runsOn, START } from '../../playground/workflows';
import type { Fault } from '../../sandbox';
import { byId } from '../support/formCollection';
import { Bench, importInto, polledForms } from './support/bench';

// Whatever is made of the key, its letters stay, unless it is put into base64.
const letters = ['fcKeyHeadQx7', 'fcKeyTailZp3'] as const;
const apiKey = `${letters[0]}/+=&"'\\%41?#<>~:@${letters[1]}`;
const encodedKey = encodeURIComponent(apiKey);

/** The service says this alone, and wherever it says the key, to see where its words get to. */
const WORDS = 'words of the service';

const FORM = 'f1';

/** The characters of base64 that a text makes, wherever it begins in what is encoded. */
const inBase64 = (text: string): string[] =>
	[0, 1, 2].map((before) =>
		Buffer.from('?'.repeat(before) + text)
			.toString('base64')
			.slice(before === 0 ? 0 : before + 1)
			.replace(/=+$/, '')
			.slice(0, -1),
	);

const traces = letters.flatMap((text) => [text, ...inBase64(text)]);

const says = (key: string) => `${WORDS}: bad key ${key}!`;

const escapedKey = JSON.stringify(apiKey).slice(1, -1);
const elsewhere = 'http://127.0.0.1:9';

const faults: Fault[] = [
	...[400, 401, 429, 500].map((status) => ({
		status,
		body: { message: says(apiKey), errors: [{ [apiKey]: says(`Bearer ${apiKey}`) }] },
		headers: { 'WWW-Authenticate': `Bearer key="${encodedKey}"`, 'X-Key': encodedKey },
	})),
	{ status: 429, body: says(apiKey), headers: { 'Retry-After': encodedKey } },
	{ status: 400, body: { message: WORDS } },
	{ status: 400, body: says(encodedKey) },
	{ status: 400, body: { message: says(escapedKey) } },
	{ redirectTo: `${elsewhere}/login?key=${encodedKey}#${encodedKey}` },
	{ status: 301, redirectTo: `${elsewhere}/${encodedKey}/responses` },
	{ status: 307, redirectTo: `http://${encodedKey}:${encodedKey}@127.0.0.1:9/api/forms` },
	{ body: `<html>${says(apiKey)}</html>` },
	{ body: says(apiKey), cut: 'body' },
	{ body: { success: false, message: says(apiKey), forms: says(apiKey), responses: [apiKey] } },
	{ body: `{"forms":[{"id":"${says(escapedKey)}` },
];

/** What n8n has answered, by the part of its REST API. */
const answers: [string, string][] = [];
const env = { N8N_LOG_LEVEL: 'debug', N8N_LOG_OUTPUT: 'console' };
const bench = new Bench({ ...polledForms([FORM]), apiKey }, env);
let trigger: SavedWorkflow;
let workflows: SavedWorkflow[];

const nodes: { onError: string; operation: string; [parameter: string]: unknown }[] = [
	{ onError: 'stopWorkflow', operation: 'getForms' },
	{ onError: 'continueRegularOutput', operation: 'getResponses', options: { timeout: 1 } },
	...['stopWorkflow', 'continueErrorOutput'].map((onError) => ({
		onError,
		...importInto(FORM, { timeout: 1, parallelRequests: 1 }),
	})),
];

beforeAll(async () => {
	await bench.start();
	bench.client.onAnswer((route, body) => {
		const [, , resource = ''] = route.split(/[/?]/);
		answers.push([resource, JSON.stringify(body)]);
	});
	const rows = [{ row: '1' }, { row: '2' }];
	workflows = await Promise.all(
		nodes.map(
			async ({ onError, ...parameters }) =>
				await bench.createRun(rows, { formId: byId(FORM), ...parameters }, { onError }),
		),
	);
	trigger = await bench.createTrigger('trigger', FORM, { options: { timeout: 1 } });
});

afterAll(async () => await bench.stop());

const tryOut = async (work: Promise<unknown>) => await work.catch(() => undefined);

/** As the editor asks for the forms, the questions and a test of the credential. */
async function edit(): Promise<void> {
	const { client, credential } = bench;
	const parameters = { operation: 'createResponse', formId: byId(FORM) };
	const { baseUrl } = bench.sandbox;
	await tryOut(client.searchForms(credential, parameters));
	await tryOut(client.getQuestions(credential, parameters));
	await tryOut(client.testCredential(credential, { baseUrl, apiKey }));
}

async function runAll(): Promise<void> {
	const { client } = bench;
	await Promise.all([
		...workflows.map(async ({ id }) => await client.runWorkflow(id, START)),
		client.runWorkflow(trigger.id, 'New response'),
	]);
}

/** All that n8n has written to its folder, apart from packages and the editor. */
async function writtenFiles(): Promise<[string, string][]> {
	const folder = bench.userFolder;
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name))
		.filter((file) => !/node_modules|\.cache/.test(file));
	return await Promise.all(
		files.map(async (file): Promise<[string, string]> => {
			// What is not in the database file itself yet.
			const place = file.slice(folder.length + 1).replace(/-(wal|shm)$/, '');
			return [place, await readFile(file, 'latin1')];
		}),
	);
}

/** What is found of the texts, by place: a file of n8n, or a part of its REST API. */
async function find(texts: readonly string[]): Promise<Record<string, string[]>> {
	const found: Record<string, string[]> = {};
	for (const [place, content] of [...(await writtenFiles()), ...answers]) {
		const before = found[place] ?? [];
		const here = texts.filter((text) => before.includes(text) || content.includes(text));
		if (here.length > 0) found[place] = here;
	}
	return found;
}

test('runs against everything that a service can answer', async () => {
	for (const fault of faults) {
		bench.sandbox.faults.clear();
		bench.sandbox.faults.add(fault);
		await Promise.all([edit(), runAll()]);
	}
	bench.sandbox.faults.clear();
	bench.sandbox.faults.add({ hang: true, contains: FORM });
	await runAll();
	bench.sandbox.faults.clear();
	await Promise.all([edit(), runAll()]);
	expect(bench.sandbox.log.at(-1)?.headers.authorization).toBe(`Bearer ${apiKey}`);
});

test('polls against a service that repeats the key', async () => {
	const repeats = faults.filter(({ status }) => status === 401);
	bench.sandbox.faults.clear();
	bench.sandbox.faults.add(...repeats);
	await expect(bench.activate(trigger)).rejects.toThrow('(401)');
	await bench.deactivate(trigger);

	bench.sandbox.faults.clear();
	await bench.activate(trigger);
	bench.sandbox.faults.add(...repeats);
	const newest = async () => (await bench.client.listExecutions(trigger.id))[0]?.id;
	const before = await newest();
	await until('a poll that fails', async () => (await newest()) !== before);
	await bench.deactivate(trigger);
});

/** Has n8n answer what it knows of the workflow, as the editor asks for it and exports it. */
async function look({ id }: SavedWorkflow): Promise<void> {
	const { client } = bench;
	await client.request('GET', `/workflows/${id}`);
	for (const execution of await client.listExecutions(id)) await client.getExecution(execution.id);
}

const places = ['.n8n/database.sqlite', 'executions', 'n8n.log', 'workflows'];

test('the words of the service are in the executions, the key is nowhere', async () => {
	for (const workflow of [trigger, ...workflows]) await look(workflow);
	await bench.client.request('GET', `/credentials/${bench.credential.id}?includeData=true`);

	expect(await find(traces)).toEqual({});
	const shown = Object.keys(await find([WORDS]));
	expect(shown).toEqual(expect.arrayContaining(['.n8n/database.sqlite', 'executions']));
});

test('a key that is there is found, encoded or not', async () => {
	const encoded = ['', 'x', 'xx'].map((before) => Buffer.from(before + apiKey).toString('base64'));
	const leak = [encodedKey, ...encoded].join(' ');
	const { client } = bench;
	const leaking = await client.createWorkflow({
		...runsOn([{ leak }], leak, { parameters: { operation: 'getForms' } }),
		name: 'leak',
	});
	await client.runWorkflow(leaking.id, START);
	await look(leaking);

	const found = await find(traces);

	for (const place of places) {
		expect({ [place]: found[place] }).toEqual({ [place]: traces });
	}
});
