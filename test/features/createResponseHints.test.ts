import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { asTool } from '../support/engine';
import {
	byId,
	credentialsOf,
	formRecord,
	hintsOf,
	inOutput,
	responseRecord,
	runOn,
} from '../support/formCollection';

const create = (options: IDataObject = {}) =>
	({
		operation: 'createResponse',
		formId: byId('f1'),
		answersInput: 'json',
		answersJson: '={{ { "n": $json.n } }}',
		options,
	}) as INodeParameters;

describe('the hints of Create Response', () => {
	let service: Sandbox;

	beforeAll(async () => {
		service = await startSandbox({
			forms: [formRecord('f1')],
			responses: [responseRecord('f1', 'x', { answers: { n: 'taken' } })],
		});
	});
	beforeEach(() => service.reset());
	afterAll(async () => await service.stop());

	const hintsAfter = async (
		parameters: INodeParameters,
		input: IDataObject[],
		node?: Partial<INode>,
	) => await hintsOf(service, parameters, { input, node });

	it('say nothing where there is nothing to say', async () => {
		expect(await hintsAfter(create(), [{ n: 'a' }, { n: 'b' }])).toEqual([]);
	});

	it('are no part of the reply to an AI tool', async () => {
		const parameters = create({ skipExisting: true });
		const call = asTool({
			parameters: { ...parameters, answersJson: '{ "n": "taken" }' },
			credentials: credentialsOf(service),
		});

		expect(JSON.parse(String(await call({})))).toEqual([
			{ success: true, response_id: 'x', skipped: true },
		]);
	});

	it.each([
		['{ "a": "On {{ $json.b }}" }', 'On [object Object]', { b: {} }],
		['{ "a": ["x", "{{ $json.b }} "] }', '[object Object] ', { b: { c: 1 } }],
		['{ "a": "On {{ new Date($json.b) }}" }', 'On Invalid Date', { b: 'x' }],
		['{ "a": "{{ DateTime.fromISO($json.b) }}." }', 'Invalid DateTime.', { b: 'no date' }],
	])('name answers with what is written for an object: %s', async (json, text, item) => {
		const parameters = { ...create(), answersJson: `=${json}` };

		expect(await hintsAfter(parameters, [item as IDataObject])).toEqual([
			inOutput(
				'These answers were sent with text such as "[object Object]" or "Invalid DateTime" in them, which stands for an object or a date that could not be read: a. Check the expressions that make them, here or in the nodes before this one',
			),
		]);
		expect([service.responses.at(-1)?.answers.a].flat()).toContain(text);
	});

	it('say for how many responses the service gave no ID', async () => {
		service.faults.add({ contains: 'new', body: { success: true } });

		expect(await hintsAfter(create(), [{ n: 'new' }, { n: 'other' }])).toEqual([
			inOutput(
				'The service gave no response_id for 1 response: it was created, and is not sent again',
			),
		]);
		expect(await hintsAfter(create(), [{ n: 'new' }, { n: 'newer' }])).toEqual([
			inOutput(
				'The service gave no response_id for 2 responses: they were created, and are not sent again',
			),
		]);
	});

	it('say how many items were not sent', async () => {
		const input = [{ n: 'new' }, { n: 'newer' }, { n: 'taken' }, { n: 'other' }];
		const retried = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const oneOfFour = [inOutput('Skipped 1 item: already in the form')];

		expect(await hintsAfter(create({ skipExisting: true }), input)).toEqual(oneOfFour);

		const twoOfFour = [inOutput('Skipped 2 items: already in the form')];
		service.reset();
		const again = [...input.slice(1), { n: 'taken' }];
		expect(await hintsAfter(create({ skipExisting: true, matchOn: ['n'] }), again)).toEqual(
			twoOfFour,
		);

		service.reset();
		service.faults.add({ contains: 'other', status: 422, times: 1 });
		expect(await hintsAfter(create({ skipExisting: true }), input, retried)).toEqual([
			inOutput('2 of 4 items were submitted by an earlier try and were not sent again'),
			...oneOfFour,
		]);
	});

	it('say how many items came back from the error output and may be stored', async () => {
		service.faults.add({ contains: 'lost', cut: 'connection', stored: true });
		const cameBack = async (input: IDataObject[]) => {
			const { run } = await runOn(service, create(), {
				input,
				isErrorOutputWiredBack: true,
				node: { onError: 'continueErrorOutput' },
			});
			return run.data.resultData.runData['Form Collection']?.[1]?.hints;
		};
		const hint = (items: string) =>
			inOutput(
				`${items} came back from the error output with an unknown outcome and may be stored already: not sent again, and left out of the output`,
			);

		expect(await cameBack([{ n: 'lost' }, { n: 'new' }])).toEqual([hint('1 item')]);
		expect(await cameBack([{ n: 'lost 1' }, { n: 'lost 2' }])).toEqual([hint('2 items')]);
	});

	it('say that the service may have sent only a part of what Skip Existing compares with', async () => {
		const list = [responseRecord('f1', 'r1')];
		service.faults.add({ route: 'GET /responses', body: { responses: list, cursor: 'x' } });
		expect(await hintsAfter(create({ skipExisting: true }), [{ n: 'new' }])).toEqual([
			inOutput('The service also sent cursor: there may be more responses than these'),
		]);
	});
});
