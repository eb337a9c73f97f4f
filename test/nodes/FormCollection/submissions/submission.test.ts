import { FormState } from '../../../../nodes/FormCollection/submissions/formState';
import {
	currentPosition,
	noteSubmission,
} from '../../../../nodes/FormCollection/submissions/recentSubmissions';
import { ResponseIds } from '../../../../nodes/FormCollection/submissions/responseIds';
import { Submission } from '../../../../nodes/FormCollection/submissions/submission';
import { InvalidInput } from '../../../../nodes/FormCollection/transport/errors';
import type { Answers } from '../../../../nodes/FormCollection/transport/records';

const ada = { email: 'ada@example.com', name: 'Ada' };
const bob = { email: 'bob@example.com', name: 'Bob' };

const account = {
	baseUrl: 'https://forms.example.com/api',
	apiKey: 'key',
	credential: { id: '', name: '', type: 'formCollectionApi', data: {} },
};

let forms = 0;

const another = { logId: 'another' };

/** Of a form that has these responses by now */
function formWith(responses: Record<string, Answers>, matchOn: string[] = [], isTool = false) {
	const form = `form ${++forms}`;
	const state = new FormState(form, {}, matchOn, isTool, { logId: 'own' });
	let reads = 0;
	let meanwhile: () => void = () => undefined;
	const read = async () => {
		reads++;
		const readAt = currentPosition();
		const existing = new ResponseIds(matchOn);
		for (const [id, answers] of Object.entries(responses)) existing.add({ id, answers });
		meanwhile();
		await Promise.resolve();
		state.setExisting(existing, state.unknownOutcomes, readAt);
		return existing;
	};
	const refuseUnknown = (known: ReadonlySet<string>) => {
		const unknown = matchOn.filter((key) => !known.has(key));
		if (unknown.length > 0) throw new InvalidInput(`Unknown: ${unknown.join()}`);
	};
	const submission = (answers: Answers) =>
		new Submission(
			{ account, formId: 'f1', answers, matchOn, checkMatchOn: refuseUnknown },
			state,
			state.comparisonKey(answers),
			read,
			() => undefined,
		);
	return {
		state,
		responses,
		submission,
		claim: async (answers: Answers, mayBeNew = false) => await submission(answers).claim(mayBeNew),
		reads: () => reads,
		whileItIsRead: (action: () => void) => void (meanwhile = action),
		/** Another execution has submitted this; without an ID, its outcome is unknown. */
		submit: (answers: Answers, id?: string) =>
			noteSubmission(form, { by: another, answers, ...(id !== undefined && { response: { id } }) }),
	};
}

it('an item gets a response that the form has, in one request for all items', async () => {
	const { claim, reads } = formWith({ r1: ada, r2: bob });

	expect(await claim(ada)).toEqual({ id: 'r1' });
	expect(await claim(ada)).toBeUndefined();
	expect(await claim(bob)).toEqual({ id: 'r2' });
	expect(reads()).toBe(1);
});

it('what was created in this execution needs no request', async () => {
	const { state, claim, reads } = formWith({ old: ada }, ['email']);
	state.addCreated(state.comparisonKey(ada), 'r1');

	expect(await claim({ ...ada, name: 'Augusta' })).toEqual({ id: 'r1' });
	expect(reads()).toBe(0);
});

it.each([
	[
		'in this execution',
		({ state }: ReturnType<typeof formWith>) => state.addCreated(state.comparisonKey(ada), 'r1'),
	],
	['by another execution', ({ submit }: ReturnType<typeof formWith>) => submit(ada, 'r1')],
])('what was created %s while the form was read counts', async (_, create) => {
	const form = formWith({ old: bob }, ['email']);
	form.whileItIsRead(() => create(form));

	expect(await form.claim(ada)).toEqual({ id: 'r1' });
});

describe('where another item with the same answers may be stored', () => {
	const refusal = (what: string) => ({
		details: {
			message: `Another item with the same ${what} may be stored already: check the form before you send this one`,
			outcome: 'unknown',
			isOfAnother: true,
		},
		// So that the items after this one are sent.
		isRecorded: true,
	});

	it('nothing is sent', async () => {
		const { submit, claim } = formWith({ r2: bob });
		submit(ada);

		await expect(claim(ada)).rejects.toMatchObject(refusal('answers'));
		expect(await claim(bob)).toEqual({ id: 'r2' });
	});

	it('the questions to match on are named', async () => {
		const { submission, claim } = formWith({ r2: bob }, ['email', 'name']);
		submission(ada).outcomeIsUnknown();

		await expect(claim(ada)).rejects.toMatchObject(refusal('email, name'));
	});

	it('the form is read again, which may show it', async () => {
		const { responses, submit, claim, reads } = formWith({});
		expect(await claim(bob)).toBeUndefined();
		submit(ada);
		responses.r1 = ada;

		expect(await claim(ada)).toEqual({ id: 'r1' });
		expect(reads()).toBe(2);
	});
});

describe('an item that may be stored itself', () => {
	it('makes the form be read again once its outcome has become unknown', async () => {
		const { state, responses, claim, reads } = formWith({});
		expect(await claim(ada)).toBeUndefined();
		state.unknownOutcomes++;
		responses.r1 = ada;

		expect(await claim(ada)).toBeUndefined();
		expect(reads()).toBe(1);
		expect(await claim(ada, true)).toEqual({ id: 'r1' });
		expect(reads()).toBe(2);
	});

	it('is not there: then no item that matches it is surely new', async () => {
		const { claim } = formWith({ r2: bob }, ['email']);

		expect(await claim(ada, true)).toBeUndefined();
		expect(await claim(ada, true)).toBeUndefined();
		await expect(claim(ada)).rejects.toMatchObject({ details: { isOfAnother: true } });
	});

	it('is not there: then one that has no unknown outcome is new', async () => {
		const { claim } = formWith({ r2: bob }, ['email']);

		expect(await claim(ada)).toBeUndefined();
		expect(await claim(ada)).toBeUndefined();
	});
});

it('the questions to match on are checked once the form is known, and before anything is used', async () => {
	const { state, responses, claim } = formWith({ r1: { email: ada.email } }, ['email', 'name']);
	await expect(claim(ada)).rejects.toThrow('Unknown: name');
	expect(state.created.size).toBe(0);

	responses.r2 = { name: 'Bob' };
	state.unknownOutcomes++;
	await expect(claim(ada, true)).resolves.toBeUndefined();
});
