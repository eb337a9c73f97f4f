import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { retryPolicy } from '../../nodes/FormCollection/transport/retry';
import type { Fault, Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { TestResult } from '../support/engine';
import { useFastClock } from '../support/fastClock';
import { byId, factsOf, formRecord, runOn } from '../support/formCollection';

const apiKey = 'fc/key+with==signs';
const start = async () => await startSandbox({ apiKey, forms: [formRecord('f1')] });

const operations = {
	forms: { operation: 'getForms' },
	read: { operation: 'getResponses', formId: byId('f1') },
	create: {
		operation: 'createResponse',
		formId: byId('f1'),
		answersInput: 'json',
		answersJson: '{"a":"b"}',
	},
};

interface Facts {
	message: string;
	description?: string;
	httpCode?: string;
	failure?: object;
}

interface Case {
	fault: Fault;
	options?: { timeout: number };
	/** What Get Responses and Create Response say, if it is the same */
	both?: Facts;
	read?: Facts;
	create?: Facts;
	requests: { read: number; create: number };
}

const once = { read: 1, create: 1 };
const readsAgain = { read: 3, create: 1 };
const configuration = { cause: 'configuration-invalid' };
const down = { cause: 'temporarily-unavailable' };
const limited = { cause: 'rate-limited' };

const laterOrLookFirst = (what: string, others: Omit<Facts, 'message'> = {}) => ({
	read: { message: `${what}: try again in a few minutes`, failure: down, ...others },
	create: {
		message: `${what}: check whether the response was stored before you send it again`,
		failure: down,
		...others,
	},
});

const unexpected = (what: string) => ({
	read: {
		message: `There is ${what} where the responses should be, at {base}/responses: check the Base URL in the Form Collection API credential`,
		failure: configuration,
	},
	create: {
		message: `The service answered with ${what}: check the Base URL in the Form Collection API credential, and check whether the response was stored before you send it again`,
		failure: configuration,
	},
});

const notAccepted = (status: number, says = '') => ({
	read: {
		message: `The service did not accept the request (${status})${says && ` and says ${says}`}: check the form and the Form Collection API credential`,
		httpCode: String(status),
		failure: configuration,
	},
	create: {
		message: `The service did not accept the request (${status})${says && ` and says ${says}`}: check the answers against the form`,
		httpCode: String(status),
		failure: configuration,
	},
});

const inBetween = {
	message:
		'The service, or a proxy on the way to it, denied access (401): copy the key of an account with access into the Form Collection API credential, or ask your n8n administrator about the proxy',
	httpCode: '401',
	failure: configuration,
};

const notTheApi = {
	message:
		'There is something else (405) where the responses should be, at {base}/responses: check the Base URL in the Form Collection API credential',
	httpCode: '405',
	failure: configuration,
};

const tooLarge = {
	message:
		'The answers are too large for the service, or for a proxy on the way to it (413): shorten the longest ones, or leave them out',
	httpCode: '413',
	failure: configuration,
};

const notConfirmed = (description?: string) => ({
	read: {
		message:
			'There is JSON without a list of responses where the responses should be, at {base}/responses: check the Base URL in the Form Collection API credential',
		failure: configuration,
	},
	create: {
		message:
			'The service did not confirm the response: check the answers against the form, and check whether the response was stored before you send it again',
		description,
	},
});

const limit = (message: string, retryAfterMs?: number) => ({
	message: `The request limit of your plan is reached (429): ${message}`,
	description:
		'To stay within the limit, let triggers poll less often, and send large amounts in batches with Loop Over Items and Wait',
	httpCode: '429',
	failure: { ...limited, ...(retryAfterMs !== undefined && { retryAfterMs }) },
});

const redirect = (message: string, httpCode: string) => ({
	message,
	description: 'Redirects are not followed, so that the API key goes nowhere else',
	httpCode,
	failure: configuration,
});

/** A redirect of a submission leaves open whether the response was stored. */
const redirects = (facts: Facts) => ({
	read: facts,
	create: {
		...facts,
		message: `${facts.message}, and check whether the response was stored before you send it again`,
	},
});

const goodBody = { success: true, response_id: 'r1', responses: [], padding: 'x'.repeat(200) };

const cases: Record<string, Case> = {
	'400 with words': {
		fault: { status: 400, body: { error: { code: 7, message: 'Name is missing.' } } },
		...notAccepted(400, '"Name is missing"'),
		requests: once,
	},
	'400 with a word that n8n has a sentence for': {
		fault: { status: 400, body: 'connect ECONNREFUSED 10.0.0.1' },
		...notAccepted(400, '"connect ECONNREFUSED 10.0.0.1"'),
		requests: once,
	},
	'400 with the key': {
		fault: { status: 400, body: { message: 'Bad key fc/key+with==signs!' } },
		...notAccepted(400, '"Bad key …!"'),
		requests: once,
	},
	'400 with the key, escaped': {
		fault: { status: 400, body: '{"message":"Bad key fc\\/key\\u002bwith==signs!"}' },
		...notAccepted(400, '"Bad key …!"'),
		requests: once,
	},
	'400 with the key as in an address': {
		fault: { status: 400, body: { message: 'Bad key fc%2Fkey%2bwith%3D%3Dsigns!' } },
		...notAccepted(400, '"Bad key …!"'),
		requests: once,
	},
	'400 with the key, escaped, in JSON that is cut off': {
		fault: { status: 400, body: '{"message":"Bad key fc\\/key\\u002Bwith==signs!' },
		...notAccepted(400, '"{"message":"Bad key …!"'),
		requests: once,
	},
	'400 with the key where the words are cut off': {
		fault: { status: 400, body: `${'x'.repeat(290)}fc/key+with==signs` },
		...notAccepted(400, `"${'x'.repeat(290)}…"`),
		requests: once,
	},
	'401': {
		fault: { status: 401, body: { error: 'Unknown key fc/key+with==signs' } },
		both: {
			message:
				'The service refused the API key (401): copy the key from your account settings into the Form Collection API credential',
			description: 'The service says: "Unknown key …"',
			httpCode: '401',
			failure: { cause: 'credential-invalid' },
		},
		requests: once,
	},
	'401 with a web page': {
		fault: { status: 401, body: ' <html>Authorization required</html>' },
		both: inBetween,
		requests: once,
	},
	'401 of a server with a password': {
		fault: { status: 401, headers: { 'WWW-Authenticate': 'Basic realm="staging"' } },
		both: inBetween,
		requests: once,
	},
	'401 that asks for a bearer token': {
		fault: { status: 401, headers: { 'WWW-Authenticate': 'Basic, bearer realm="api"' } },
		both: {
			message:
				'The service refused the API key (401): copy the key from your account settings into the Form Collection API credential',
			httpCode: '401',
			failure: { cause: 'credential-invalid' },
		},
		requests: once,
	},
	'402': {
		fault: { status: 402, body: { error: 'Payment required' } },
		both: {
			message:
				'The service asks for a payment (402) and says "Payment required": check the plan of your account',
			httpCode: '402',
			failure: configuration,
		},
		requests: once,
	},
	'403': {
		fault: { status: 403, body: { error: { code: 'no_access', message: 'Not yours' } } },
		both: {
			message:
				'The API key has no access to form "f1" (403): copy the key of an account with access into the Form Collection API credential',
			description: 'The service says: "Not yours"',
			httpCode: '403',
			failure: configuration,
		},
		requests: once,
	},
	'404 with a web page': {
		fault: { status: 404, body: '<html>Not found</html>' },
		both: {
			message:
				'Form "f1" was not found (404): select a form from the list, and check the Base URL in the Form Collection API credential',
			description: 'A web page answered, which also happens where there is no API',
			httpCode: '404',
			failure: configuration,
		},
		requests: once,
	},
	'404': {
		fault: { status: 404, body: '{}' },
		both: {
			message:
				'Form "f1" was not found (404): select a form from the list, or enter its ID, not its slug',
			description:
				'If this happens with every form, check the Base URL in the Form Collection API credential',
			httpCode: '404',
			failure: configuration,
		},
		requests: once,
	},
	'405 with a web page': {
		fault: { status: 405, body: '<html>Not allowed</html>' },
		both: notTheApi,
		requests: once,
	},
	'405 with words': {
		fault: { status: 405, body: 'Use PUT' },
		both: { ...notTheApi, description: 'The service says: "Use PUT"' },
		requests: once,
	},
	'408': {
		fault: { status: 408 },
		...laterOrLookFirst('The service could not answer (408)', { httpCode: '408' }),
		requests: readsAgain,
	},
	'409 with a list of words': {
		fault: { status: 409, body: { errors: [{ field: 'email', reason: 'taken' }, 'Duplicate'] } },
		...notAccepted(409, '"email, taken, Duplicate"'),
		requests: once,
	},
	'413 with a web page': {
		fault: { status: 413, body: '<html>Too large</html>' },
		read: notAccepted(413).read,
		create: tooLarge,
		requests: once,
	},
	'413 with words': {
		fault: { status: 413, body: { error: 'At most 1 MB.' } },
		read: notAccepted(413, '"At most 1 MB"').read,
		create: { ...tooLarge, description: 'The service says: "At most 1 MB."' },
		requests: once,
	},
	'422 with a long text': {
		fault: { status: 422, body: 'é'.repeat(400) },
		...notAccepted(422, `"${'é'.repeat(300)}…"`),
		requests: once,
	},
	'429 with no wait': {
		fault: { status: 429, headers: { 'Retry-After': '0' } },
		both: limit('try again in a few minutes', 0),
		requests: { read: 3, create: 3 },
	},
	'429 with a short wait': {
		fault: { status: 429, headers: { 'Retry-After': '1' } },
		both: limit('try again in 1 second', 1000),
		requests: { read: 3, create: 3 },
	},
	'429 with a wait past the longest': {
		fault: { status: 429, headers: { 'Retry-After': '21' } },
		both: limit('try again in 21 seconds', 21_000),
		requests: once,
	},
	'429 without a wait': {
		fault: { status: 429, body: { message: 'Slow down' } },
		both: {
			...limit('it counts per hour, so wait up to an hour before you try again'),
			description: `The service says: "Slow down"\n${limit('').description}`,
		},
		requests: once,
	},
	'429 with a wait that cannot be read': {
		fault: { status: 429, headers: { 'Retry-After': 'soon' } },
		both: limit('it counts per hour, so wait up to an hour before you try again'),
		requests: once,
	},
	'500 with words': {
		fault: { status: 500, body: { code: 'Out of order' } },
		...laterOrLookFirst('The service could not answer (500)', {
			httpCode: '500',
			description: 'The service says: "Out of order"',
		}),
		requests: readsAgain,
	},
	'500, stored': {
		fault: { status: 500, stored: true },
		...laterOrLookFirst('The service could not answer (500)', { httpCode: '500' }),
		requests: readsAgain,
	},
	'502 with a web page': {
		fault: { status: 502, body: '<html><h1>Bad gateway</h1></html>' },
		...laterOrLookFirst('The service, or a proxy on the way to it, could not answer (502)', {
			httpCode: '502',
		}),
		requests: readsAgain,
	},
	'503 with a long wait': {
		fault: { status: 503, headers: { 'Retry-After': '45' } },
		read: {
			message:
				'The service, or a proxy on the way to it, could not answer (503): try again in 45 seconds',
			httpCode: '503',
			failure: { ...down, retryAfterMs: 45_000 },
		},
		create: {
			message:
				'The service, or a proxy on the way to it, could not answer (503): check whether the response was stored before you send it again',
			httpCode: '503',
			failure: { ...down, retryAfterMs: 45_000 },
		},
		requests: once,
	},
	'504': {
		fault: { status: 504 },
		...laterOrLookFirst('The service, or a proxy on the way to it, could not answer (504)', {
			httpCode: '504',
		}),
		requests: readsAgain,
	},
	'501, which no other try changes': {
		fault: { status: 501 },
		...laterOrLookFirst('The service could not answer (501)', { httpCode: '501' }),
		requests: once,
	},
	'no answer in time': {
		fault: { hang: true },
		options: { timeout: 4 },
		read: {
			message:
				'The service did not answer within 4 seconds: try again, or raise Timeout under Options, or check the Base URL in the Form Collection API credential and that n8n can reach it',
			description: 'Reason: ETIMEDOUT',
			failure: down,
		},
		create: {
			message:
				'The service did not answer within 4 seconds: check whether the response was stored before you send it again',
			description:
				'Reason: ETIMEDOUT\nIf this happens each time, check the Base URL in the Form Collection API credential and that n8n can reach it',
			failure: down,
		},
		requests: once,
	},
	'no more of the answer in time': {
		fault: { hang: 'body', body: goodBody },
		options: { timeout: 2 },
		read: {
			message:
				'The service did not answer within 2 seconds: try again, or raise Timeout under Options',
			description: 'Reason: ETIMEDOUT',
			failure: down,
		},
		create: {
			message:
				'The service did not answer within 2 seconds: check whether the response was stored before you send it again',
			description: 'Reason: ETIMEDOUT',
			failure: down,
		},
		requests: once,
	},
	'cut before the answer': {
		fault: { cut: 'connection' },
		...laterOrLookFirst('The connection to {origin} was lost before the service answered', {
			description:
				'Reason: ECONNRESET\nIf this happens each time, check whether the Base URL in the Form Collection API credential has to begin with https',
		}),
		requests: readsAgain,
	},
	'cut before the answer, stored': {
		fault: { cut: 'connection', stored: true },
		...laterOrLookFirst('The connection to {origin} was lost before the service answered', {
			description:
				'Reason: ECONNRESET\nIf this happens each time, check whether the Base URL in the Form Collection API credential has to begin with https',
		}),
		requests: readsAgain,
	},
	'cut in the body': {
		fault: { cut: 'body', body: goodBody },
		...laterOrLookFirst('The reply of the service was cut short', {
			description: 'Reason: ECONNRESET',
		}),
		requests: readsAgain,
	},
	'200 with half of its JSON': {
		fault: { body: '{"success":true,"responses":[{"id":' },
		...laterOrLookFirst('The reply of the service was cut short'),
		requests: once,
	},
	'200 with a web page': {
		fault: { body: '\n<!doctype html><p>Sign in' },
		...unexpected('a web page'),
		requests: once,
	},
	'200 with text': {
		fault: { body: 'ok' },
		...unexpected('text that is not JSON'),
		requests: once,
	},
	'204': { fault: { status: 204 }, ...unexpected('an empty reply'), requests: once },
	'200 without the list': { fault: { body: { data: [] } }, ...notConfirmed(), requests: once },
	'200 with a list of other things': {
		fault: { body: { responses: [{ id: 'r1' }, 'r2'], success: 'true' } },
		...notConfirmed('The service says: "r1, r2, true"'),
		requests: once,
	},
	'200 with a bare list': { fault: { body: [{}] }, ...notConfirmed(), requests: once },
	'200 with null': { fault: { body: 'null' }, ...notConfirmed(), requests: once },
	'200 without success': {
		fault: { body: { success: false, message: 'Closed for fc/key+with==signs' } },
		read: {
			message:
				'The service refused the request and says "Closed for …": check the form and the Form Collection API credential',
			failure: configuration,
		},
		create: {
			message:
				'The service refused the response and says "Closed for …": check the answers against the form',
		},
		requests: once,
	},
	'200 without success, with an empty list': {
		fault: { body: { responses: [], success: false, message: 'Not now' } },
		read: {
			message:
				'The service refused the request and says "Not now": check the form and the Form Collection API credential',
			failure: configuration,
		},
		create: {
			message:
				'The service refused the response and says "Not now": check the answers against the form',
		},
		requests: once,
	},
	'200 without success or words': {
		fault: { body: { success: false, code: 7 } },
		read: {
			message:
				'The service refused the request: check the form and the Form Collection API credential',
			failure: configuration,
		},
		create: { message: 'The service refused the response: check the answers against the form' },
		requests: once,
	},
	'200 without success, of more than is kept': {
		fault: { body: { success: false, message: 'x'.repeat(1_000) } },
		read: notConfirmed().read,
		create: {
			message: `The service refused the response and says "${'x'.repeat(300)}…": check the answers against the form`,
		},
		requests: once,
	},
	'301 to another path': {
		fault: { status: 301, redirectTo: '/login?next=1' },
		...redirects(
			redirect(
				'The service redirects to {origin}/login (301): if your service is there, set the Base URL to it in the Form Collection API credential',
				'301',
			),
		),
		requests: once,
	},
	'302 to an address with the key': {
		fault: { status: 302, redirectTo: 'https://elsewhere.example/fc/key+with==signs/' },
		...redirects(
			redirect(
				'The service redirects to https://elsewhere.example/… (302): if your service is there, set the Base URL to it in the Form Collection API credential',
				'302',
			),
		),
		requests: once,
	},
	'302 to an address with the key, encoded': {
		fault: { status: 302, redirectTo: 'https://elsewhere.example/fc%2Fkey%2Bwith%3D%3Dsigns/' },
		...redirects(
			redirect(
				'The service redirects to https://elsewhere.example/… (302): if your service is there, set the Base URL to it in the Form Collection API credential',
				'302',
			),
		),
		requests: once,
	},
	'308 to the same path, below the key': {
		fault: { status: 308, redirectTo: 'https://new.example/fc%2Fkey%2bwith%3d%3dsigns/responses' },
		...redirects(
			redirect(
				'The service has moved to https://new.example/… (308): set the Base URL to it in the Form Collection API credential',
				'308',
			),
		),
		requests: once,
	},
	'308 to the same path elsewhere': {
		fault: { status: 308, redirectTo: 'https://new.example/v2/api/responses/?form_id=f1' },
		...redirects(
			redirect(
				'The service has moved to https://new.example/v2/api (308): set the Base URL to it in the Form Collection API credential',
				'308',
			),
		),
		requests: once,
	},
	'303 to the result': {
		fault: { status: 303, redirectTo: '/thanks', stored: true },
		read: redirect(
			'The service redirects to {origin}/thanks (303): if your service is there, set the Base URL to it in the Form Collection API credential',
			'303',
		),
		create: {
			message:
				'The service redirects to a result that is not followed (303): check whether the response was stored before you send it again',
			description: 'Redirects are not followed, so that the API key goes nowhere else',
			httpCode: '303',
		},
		requests: once,
	},
	'302 without an address': {
		fault: { status: 302 },
		...redirects({
			message:
				'The service redirects without saying where to (302): check the Base URL in the Form Collection API credential',
			httpCode: '302',
			failure: configuration,
		}),
		requests: once,
	},
	'307 to nowhere': {
		fault: { status: 307, redirectTo: 'http://' },
		...redirects({
			message:
				'The service redirects without saying where to (307): check the Base URL in the Form Collection API credential',
			httpCode: '307',
			failure: configuration,
		}),
		requests: once,
	},
};

/** The facts with the addresses of this sandbox in place of {base} and {origin}. */
function here(facts: Facts | undefined, { baseUrl, url }: { baseUrl: string; url: string }) {
	return {
		description: undefined,
		httpCode: undefined,
		...facts,
		message: facts?.message.replace('{base}', baseUrl).replace('{origin}', url),
		failure: facts?.failure,
		itemIndex: 0,
	};
}

interface Outcome {
	service: Sandbox;
	reading: TestResult;
	creating: TestResult;
}

async function meet({ fault, options = { timeout: 30 } }: Case): Promise<Outcome> {
	const service = await start();
	service.faults.add(fault);
	const [reading, creating] = await Promise.all([
		runOn(service, { ...operations.read, options }),
		runOn(service, { ...operations.create, options }),
	]);
	await service.stop();
	return { service, reading, creating };
}

function check(name: string, { both, read, create, requests }: Case, outcome: Outcome) {
	const { service, reading, creating } = outcome;
	const sent = (verb: string) => service.log.filter(({ method }) => method === verb).length;

	expect({
		name,
		read: factsOf(reading.error),
		create: factsOf(creating.error),
		requests: { read: sent('GET'), create: sent('POST') },
	}).toEqual({
		name,
		read: here(both ?? read, service),
		create: here(both ?? create, service),
		requests,
	});
	for (const { run } of [reading, creating]) {
		expect(JSON.stringify(run)).not.toMatch(/with(==|%3D%3D)signs/i);
		expect(inspect(run, { depth: Infinity, showHidden: true })).not.toMatch(
			/with(==|%3D%3D)signs/i,
		);
	}
}

describe('is told in a sentence, sent as often as it may be, and shows no key:', () => {
	useFastClock();

	const all = Object.entries(cases);
	const settled = all.filter(([, { requests }]) => requests === once);
	const triedAgain = all.filter(([, { requests }]) => requests !== once);

	it.each(settled)('%s', async (name, each) => check(name, each, await meet(each)));

	it('what is worth another try', async () => {
		// All at once, because most of the time goes by between two tries.
		const outcomes = await Promise.all(triedAgain.map(async ([, each]) => await meet(each)));
		triedAgain.forEach(([name, each], i) => check(name, each, outcomes[i]!));
	}, 30_000);
});

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await start();
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

it('says nothing that alarms, and speaks in one line', () => {
	const sentences = Object.values(cases)
		.flatMap(({ both, read, create }) => [both, read, create])
		.map((facts) => facts?.message ?? '');

	expect(sentences.join(' ')).not.toMatch(/error|problem|failure|mistake|\n/i);
});

describe('a wrong Base URL', () => {
	const usuallyInApi = 'It usually ends in /api, e.g. https://forms.example.com/api';

	it.each([
		['a web page', { body: '<html>' }],
		['an empty reply', { status: 204 }],
		['JSON without a list of forms', { body: { responses: [] } }],
	])('is recognized by %s in place of the forms', async (found, fault) => {
		sandbox.faults.add(fault);
		const { error } = await runOn(sandbox, operations.forms);

		expect(factsOf(error)).toMatchObject({
			message: `There is ${found} where the forms should be, at ${sandbox.baseUrl}/forms: check the Base URL in the Form Collection API credential`,
			description: usuallyInApi,
			failure: configuration,
		});
	});

	it('is recognized by 405 for the forms', async () => {
		sandbox.faults.add({ status: 405, body: { error: 'Only POST' } });
		const { error } = await runOn(sandbox, operations.forms);

		expect(factsOf(error)).toMatchObject({
			message: `There is something else (405) where the forms should be, at ${sandbox.baseUrl}/forms: check the Base URL in the Form Collection API credential`,
			description: `The service says: "Only POST"\n${usuallyInApi}`,
		});
	});

	it('is recognized by 404 for the forms', async () => {
		const baseUrl = `${sandbox.url}/api/v1`;
		const { error } = await runOn({ ...sandbox, baseUrl }, operations.forms);

		expect(factsOf(error)).toEqual({
			message: `There is nothing (404) where the forms should be, at ${baseUrl}/forms: check the Base URL in the Form Collection API credential`,
			description: usuallyInApi,
			httpCode: '404',
			failure: configuration,
			itemIndex: 0,
		});
	});
});

it('shows no part of a key that ends the path of a redirect', async () => {
	const apiKey = 'part-1#part-2?part-3';
	const service = await startSandbox({ apiKey, forms: [formRecord('f1')] });
	service.faults.add({ redirectTo: `https://elsewhere.example/${apiKey}` });

	const { error } = await runOn(service, operations.forms);
	await service.stop();

	expect(factsOf(error).message).toContain('redirects to https://elsewhere.example/… (302)');
});

describe('a key that begins with the name of the vendor', () => {
	useFastClock();

	const apiKey = 'acmeforms-live-9f8e7d6c5b4a';
	const redirected = async (redirectTo: string) => {
		const service = await startSandbox({ apiKey });
		service.faults.add({ status: 308, redirectTo });
		const { error } = await runOn(service, operations.forms);
		await service.stop();
		return String(factsOf(error).message);
	};

	it('hides no host of a redirect with this name', async () => {
		expect(await redirected('https://eu.acmeforms.com/api/forms')).toBe(
			'The service has moved to https://eu.acmeforms.com/api (308): set the Base URL to it in the Form Collection API credential',
		);
	});

	it.each(['http://acmeforms.invalid', 'https://api.acmeforms.invalid:1'])(
		'hides no host of the Base URL with this name: %s',
		async (origin) => {
			const { error } = await runOn(
				{ ...sandbox, apiKey, baseUrl: `${origin}/api` },
				operations.forms,
			);

			expect(factsOf(error).message).toBe(
				`The service at ${origin} cannot be reached: check the Base URL in the Form Collection API credential and that the service is running`,
			);
		},
	);

	it.each([
		`https://${apiKey}.com/api/forms`,
		`https://${apiKey.slice(0, 14)}.com/api/forms`,
		`https://${apiKey.slice(0, 12)}.x.${apiKey.slice(12)}.com/api/forms`,
		`https://eu.acmeforms.com/${apiKey}/forms`,
		`https://eu.example.com/${apiKey.slice(8, 16)}/forms`,
		`https://eu.acmeforms.com/#${apiKey}/forms`,
	])('is not shown itself, nor half of it, nor in a path: %s', async (location) => {
		const message = await redirected(location);

		expect(message).toMatch(/^The service (redirects|has moved)/);
		for (let i = 0; i + 8 <= apiKey.length; i++) {
			expect(message).not.toContain(apiKey.slice(i, i + 8));
		}
	});
});

it('says that the key has no access to the forms', async () => {
	sandbox.faults.add({ status: 403 });
	const { error } = await runOn(sandbox, operations.forms);

	expect(factsOf(error).message).toBe(
		'The API key has no access to your forms (403): copy the key of an account with access into the Form Collection API credential',
	);
});

it('says what to check where the service refuses to list the forms', async () => {
	sandbox.faults.add({ body: { forms: [], success: false, message: 'Not now' } });
	const { error } = await runOn(sandbox, operations.forms);

	expect(factsOf(error)).toMatchObject({
		message:
			'The service refused the request and says "Not now": check your account and the API key in the Form Collection API credential',
		failure: configuration,
	});
});

it('says when to come back after a long wait, to the minute after it', async () => {
	const inFortyMinutes = new Date(Date.now() + 2_400_000);
	sandbox.faults.add({ status: 429, headers: { 'Retry-After': inFortyMinutes.toUTCString() } });
	const { error } = await runOn(sandbox, operations.forms);

	const [, minutes, time] =
		/try again in (\d+) minutes, after (\d+ [A-Z][a-z]{2} \d{4}, \d\d:\d\d UTC)$/.exec(
			String(factsOf(error).message),
		) ?? [];
	expect(minutes).toBe('40');
	const said = Date.parse(String(time));
	expect(said).toBeGreaterThanOrEqual(inFortyMinutes.getTime() - 61_000);
	expect(said).toBeLessThanOrEqual(inFortyMinutes.getTime() + 60_000);
	expect(sandbox.log).toHaveLength(1);
});

it('says when to come back where the service sends the point in time in seconds', async () => {
	const inAMinute = String(Math.floor(Date.now() / 1000) + 60);
	sandbox.faults.add({ status: 429, headers: { 'Retry-After': inAMinute } });
	const { error } = await runOn(sandbox, operations.forms);

	expect(factsOf(error).message).toMatch(/ \(429\): try again in (60|59|58) seconds$/);
	expect(sandbox.log).toHaveLength(1);
});

describe('what was sent again', () => {
	useFastClock();

	it.each([...retryPolicy.statuses.GET])(
		'may be tried later where it ends with %i',
		async (status) => {
			const headers = { 'Retry-After': '1' };
			sandbox.faults.add({ status, ...(status === 429 && { headers }) });
			const { error } = await runOn(sandbox, operations.read);

			expect(factsOf(error).message).toMatch(/: try again in (a few minutes|1 second)/);
			expect(sandbox.log).toHaveLength(retryPolicy.maxTries);
		},
	);
});

describe('no connection', () => {
	useFastClock();

	const cannotBeReached = (url: string) =>
		`The service at ${url} cannot be reached: check the Base URL in the Form Collection API credential and that the service is running`;

	it.each(['read', 'create'] as const)('to a port that refuses it (%s)', async (operation) => {
		const { error } = await runOn(
			{ ...sandbox, baseUrl: 'http://127.0.0.1:1/api' },
			operations[operation],
		);

		expect(factsOf(error)).toEqual({
			message: cannotBeReached('http://127.0.0.1:1'),
			description: 'Reason: ECONNREFUSED',
			failure: down,
			itemIndex: 0,
		});
	});

	it.each(['read', 'create'] as const)('to a host that is unknown (%s)', async (operation) => {
		const baseUrl = 'http://nohost.invalid/api';
		const { error } = await runOn({ ...sandbox, baseUrl }, operations[operation]);

		expect(factsOf(error)).toEqual({
			message: cannotBeReached('http://nohost.invalid'),
			description: expect.stringMatching(/^Reason: (ENOTFOUND|EAI_AGAIN)$/),
			failure: down,
			itemIndex: 0,
		});
	});

	it.each(['read', 'create'] as const)('that is secure (%s)', async (operation) => {
		const origin = sandbox.url.replace('http:', 'https:');
		const { error } = await runOn({ ...sandbox, baseUrl: `${origin}/api` }, operations[operation]);

		expect(factsOf(error)).toEqual({
			message: `No secure connection to ${origin}: check the Base URL in the Form Collection API credential, and ask the administrator of the service whether its certificate is valid`,
			description: expect.stringMatching(/^Reason: (EPROTO|ERR_SSL_.*)$/),
			failure: configuration,
			itemIndex: 0,
		});
	});
});

it('no connection is tried again by a creation, since nothing was sent, and then creates once', async () => {
	const closed = createServer().listen(0, '127.0.0.1');
	await new Promise((resolve) => closed.once('listening', resolve));
	const { port } = closed.address() as AddressInfo;
	await new Promise((resolve) => closed.close(resolve));

	const running = runOn({ ...sandbox, baseUrl: `http://127.0.0.1:${port}/api` }, operations.create);
	const late = await new Promise<Sandbox>((resolve) => {
		setTimeout(
			() => void startSandbox({ port, apiKey, forms: [formRecord('f1')] }).then(resolve),
			150,
		);
	});
	const { status } = await running;
	await late.stop();

	expect(status).toBe('success');
	expect(late.responses.map(({ answers }) => answers)).toEqual([{ a: 'b' }]);
	expect(late.log).toHaveLength(1);
});
