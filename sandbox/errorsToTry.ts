import type { Fault } from './faults';

/** A way in which the service misbehaves until it is turned off. */
interface ErrorToTry {
	/** What the service does; also the name of its faults */
	name: string;
	/** What to expect in n8n */
	hint: string;
	faults: Fault[];
}

const READ = 'GET /responses';
const SUBMIT = 'POST /responses';

const says = (message: string) => ({ error: { message } });
const elsewhere = 'https://forms.example.com/v2/api';

const groups: Record<string, ErrorToTry[]> = {
	'Key and address': [
		{
			name: 'Refuses the API key',
			hint: 'Status 401',
			faults: [{ status: 401, body: says('This API key was revoked.') }],
		},
		{
			name: 'Denies access',
			hint: 'Status 403',
			faults: [{ status: 403, body: says('Your role may not read responses.') }],
		},
		{
			name: 'Has moved',
			hint: 'A redirect, which the node does not follow',
			faults: ['forms', 'responses'].map((list) => ({
				contains: `/${list}`,
				status: 308,
				redirectTo: `${elsewhere}/${list}`,
			})),
		},
		{
			name: 'Replies with a web page',
			hint: 'As with a wrong Base URL',
			faults: [
				{
					body: '<!doctype html><h1>Welcome</h1>',
					headers: { 'Content-Type': 'text/html; charset=utf-8' },
				},
			],
		},
	],
	'Form and answers': [
		{
			name: 'Does not know the form',
			hint: 'Status 404, also for the questions in the editor',
			faults: [READ, SUBMIT].map((route) => ({
				route,
				status: 404,
				body: says('There is no form with this id.'),
			})),
		},
		{
			name: 'Refuses every response',
			hint: 'Status 422 for Create Response',
			faults: [{ route: SUBMIT, status: 422, body: says('email must be an email address.') }],
		},
		{
			name: 'Refuses the third response',
			hint: 'The others are stored: run an import, then run it again',
			faults: [
				{
					route: SUBMIT,
					skip: 2,
					times: 1,
					status: 422,
					body: says('email must be an email address.'),
				},
			],
		},
		{
			name: 'Does not confirm a response',
			hint: 'Create Response gets “success: false”',
			faults: [{ route: SUBMIT, body: { success: false, message: 'This form is closed.' } }],
		},
	],
	Limit: [
		{
			name: 'Asks for a wait of two seconds',
			hint: 'Once: the node waits and continues',
			faults: [{ times: 1, status: 429, headers: { 'Retry-After': '2' } }],
		},
		{
			name: 'Does not say how long to wait',
			hint: 'Status 429 without a time',
			faults: [{ status: 429, body: says('Too many requests.') }],
		},
	],
	Failures: [
		{
			name: 'Fails once',
			hint: 'The node tries again, except when it submits',
			faults: [{ times: 1, status: 503 }],
		},
		{
			name: 'Fails',
			hint: 'Status 500',
			faults: [{ status: 500, body: says('Something went wrong.') }],
		},
		{
			name: 'Is down for ten minutes',
			hint: 'Status 503, which says when to try again',
			faults: [{ status: 503, headers: { 'Retry-After': '600' } }],
		},
		{
			name: 'Never replies',
			hint: 'The node gives up after its Timeout, 30 seconds',
			faults: [{ hang: true }],
		},
	],
	'Broken replies': [
		{
			name: 'Breaks the connection',
			hint: 'It stores nothing',
			faults: [{ cut: 'connection' }],
		},
		{
			name: 'Stores a response, but does not say so',
			hint: 'The connection breaks after Create Response',
			faults: [{ route: SUBMIT, cut: 'connection', stored: true }],
		},
		{
			name: 'Sends half of its reply',
			hint: 'The connection breaks in the middle',
			faults: [{ cut: 'body' }],
		},
		{
			name: 'Replies with other JSON',
			hint: 'Without a list of forms or responses',
			faults: [{ body: { data: [] } }],
		},
	],
};

/** By heading */
export const errorsToTry: Record<string, ErrorToTry[]> = Object.fromEntries(
	Object.entries(groups).map(([heading, errors]) => [
		heading,
		errors.map((error) => ({
			...error,
			faults: error.faults.map((fault) => ({ name: error.name, ...fault })),
		})),
	]),
);
