/**
 * What the README and the docs promise, in their words, and the tests that hold it. `npm run check`
 * compares both with what is there, and `npm run docs:promises` makes docs/promises.md of it.
 */
export interface Promised {
	/** As on the page; line breaks and emphasis do not matter */
	words: string;
	/** README.md by default */
	page?: string;
	/** Titles of tests or of groups, by file: `npx tsx tools/promises.ts --list` prints all */
	tests: Record<string, string[]>;
}

const node = 'test/nodes/FormCollection';
const accounts = `${node}/actions/accounts.test.ts`;
const answerFilters = `${node}/responses/answerFilters.test.ts`;
const answers = `${node}/responses/answers.test.ts`;
const createResponse = `${node}/actions/createResponse.test.ts`;
const credential = 'test/credentials/FormCollectionApi.test.ts';
const dedupe = `${node}/trigger/dedupe.test.ts`;
const embed = `${node}/actions/embedCode.test.ts`;
const faultMatrix = `${node}/faultMatrix.test.ts`;
const getEmbedCode = `${node}/actions/getEmbedCode.test.ts`;
const getForms = `${node}/actions/getForms.test.ts`;
const getQuestions = `${node}/actions/getQuestions.test.ts`;
const getResponses = `${node}/actions/getResponses.test.ts`;
const hints = `${node}/actions/hints.test.ts`;
const histories = 'test/model/histories.test.ts';
const hostile = `${node}/hostileData.test.ts`;
const mapping = `${node}/actions/mapping.test.ts`;
const matchOn = `${node}/submissions/matchOn.test.ts`;
const onTheWay = `${node}/transport/onTheWay.test.ts`;
const parameters = `${node}/actions/parameters.test.ts`;
const poll = `${node}/trigger/poll.test.ts`;
const promiseEnds = 'test/e2e/whereThePromiseEnds.test.ts';
const questions = `${node}/methods/questions.test.ts`;
const queue = 'test/e2e/queue.test.ts';
const queueTrigger = 'test/e2e/queueTrigger.test.ts';
const request = `${node}/transport/request.test.ts`;
const retry = `${node}/transport/retry.test.ts`;
const router = `${node}/actions/router.test.ts`;
const submissionLog = `${node}/submissions/submissionLog.test.ts`;
const triggerDatabase = 'test/e2e/triggerDatabase.test.ts';
const triggerRestarts = 'test/e2e/triggerRestarts.test.ts';

const RANDOM = 'keeps every promise in 200 random histories';

export const promises: Record<string, Promised[]> = {
	'Submissions: nothing twice': [
		{
			words: 'In one execution each input item is submitted at most once.',
			tests: {
				[submissionLog]: ['Retry On Fail', 'does not mix the runs of one execution, as in a loop'],
				[histories]: [RANDOM, 'no longer happens: %s'],
			},
		},
		{
			words: 'not by its answers, which may come from expressions such as {{ $now }}',
			tests: {
				[submissionLog]: [
					'Retry On Fail › knows a submission whose answers change with each try: %s',
				],
				[histories]: [RANDOM],
			},
		},
		{
			words:
				'What was created is not sent again and is in the output, even if you have changed the mapping since',
			tests: {
				[submissionLog]: [
					'Retry On Fail › sends only what was not created, and puts out everything',
				],
				[histories]: [RANDOM],
			},
		},
		{
			words: 'What was refused or never sent is sent again.',
			tests: {
				[onTheWay]: [
					'the submission log and Retry On Fail › send again what the service refused with `success: false`',
				],
				[submissionLog]: [
					'an item that comes back from the error output › is sent again when it was refused',
				],
				[histories]: [RANDOM],
			},
		},
		{
			words:
				'What may have been stored (after a timeout, a broken connection, a redirect, an error of the service) is not sent again, and the error message names it.',
			tests: {
				[submissionLog]: [
					'Retry On Fail › does not send again what may have been stored, sends the rest, and names it',
				],
				[onTheWay]: ['the submission log and Retry On Fail'],
				[faultMatrix]: [
					'says to look first wherever a response was stored that is not in the output',
				],
				[histories]: [RANDOM],
			},
		},
		{
			words:
				'refused items are sent again; items with an unknown outcome are not, and the loop ends',
			tests: {
				[submissionLog]: ['an item that comes back from the error output'],
				[promiseEnds]: ['an error output that leads back into the same node'],
			},
		},
		{
			words:
				'lets each response with the same answers stand for one item, so that an import can be run again at any time and ends complete without repeats',
			tests: {
				[submissionLog]: ['Skip Existing'],
				[queue]: [
					'an import whose worker is killed is not started again; run again, it ends complete',
				],
				[histories]: [RANDOM],
			},
		},
		{
			words: 'It also settles items with an unknown outcome',
			tests: {
				[submissionLog]: [
					'Retry On Fail › settles with Skip Existing what was stored although the answer was lost',
				],
			},
		},
		{
			words:
				'With Match On only the answers to these questions are compared, and one response stands for any number of items',
			tests: {
				[matchOn]: [
					'lets one response stand for any number of items with the same answer',
					'compares the answers to all questions, unanswered ones included',
					'sends no equal item where the outcome of the first is unknown, until the form has it',
				],
			},
		},
		{
			words:
				'An execution that reaches its timeout in the middle of an import is saved as canceled, and Retry goes on where it was.',
			tests: {
				[promiseEnds]: [
					'an import that takes longer than the execution may › has no output; retried, it sends what is missing and nothing twice',
				],
			},
		},
		{
			words:
				'a submission only when the connection was refused or the service said 429 with a wait of up to 20 seconds',
			tests: {
				[retry]: ['what is sent again › of creations: only what the service did not take'],
				[faultMatrix]: [
					'sends a submission again only where the fault proves that it was not taken',
				],
			},
		},
	],
	Requests: [
		{
			words: 'A hundred items that ask for the same form cost one request, not a hundred.',
			tests: {
				[getResponses]: ['the form › is read once for a hundred items'],
				[histories]: [RANDOM],
			},
		},
		{
			words: '| Get Forms | 1 per run of the node |',
			tests: { [getForms]: ['with forms of its own › sends one request for five items'] },
		},
		{
			words: '| Get Responses | 1 per different form and run of the node |',
			tests: { [getResponses]: ['the form › is read once per distinct form'] },
		},
		{
			words: '| Get Questions | 1 per different form and run of the node |',
			tests: {
				[getQuestions]: [
					'tells what past responses say of each question, in one request for each form',
				],
			},
		},
		{
			words: '| Skip Existing | 1 per different form and execution, in a loop too |',
			tests: {
				[submissionLog]: [
					'Skip Existing › reads a form once in an execution, however often a loop runs the node',
				],
			},
		},
		{
			words: '| Each poll of a trigger | 1 |',
			tests: { [poll]: ['polled by n8n on the path: %s › sends one request per poll'] },
		},
		{
			words: '| Get Embed Code | none |',
			tests: {
				[getEmbedCode]: ['gives each item the HTML of its own form and mode, without a request'],
			},
		},
		{
			words: 'Sent again by itself (at most 3 tries): a read that did not get through',
			tests: {
				[retry]: ['what is sent again › of reads: the statuses that may pass'],
				[faultMatrix]: ['reads at most three times, a trigger and a credential test once'],
			},
		},
	],
	'What is read': [
		{
			words: 'Records come through as the service sends them, with every field, known or unknown.',
			tests: {
				[getResponses]: ['the form › has responses with any field, passed through untouched'],
				[getForms]: ['with forms of its own › passes every field through untouched, known or not'],
				[hostile]: ['whatever the service lists › comes through untouched, everywhere'],
			},
		},
		{
			words: 'All filters must hold. Upper and lower case are the same.',
			tests: {
				[getResponses]: ['answer filters › must all hold'],
				[answerFilters]: ['of the answer %j: %s %j is %s'],
			},
		},
		{
			words: 'without a time zone they are in that of the workflow',
			tests: {
				[parameters]: [
					'a moment › is read from %p, in the zone of the workflow where it names none',
					'a moment › is what the clocks of the zone show, whatever the zone of the server',
				],
			},
		},
		{
			words: 'Filters come first, then sorting, then the limit.',
			tests: {
				[getResponses]: [
					'answer filters › are read for each item, in one request, before order and limit',
				],
			},
		},
		{
			words:
				'A limit in the order received ends the download early, and so does a Response ID that is found.',
			tests: {
				[getResponses]: [
					'a form with many responses › is read only as far as the limit in the order received needs',
					'a form with many responses › is read only as far as the response with an ID',
				],
			},
		},
		{
			words: 'Each question seen in the responses that were read has a column in every row',
			tests: {
				[getResponses]: ['flattened answers › have columns for what was read, in every row'],
				[answers]: ['flattened answers › lose no answer and no field where names collide'],
			},
		},
		{
			words:
				"the node says beside the output that there may be more, and the trigger says it in n8n's log",
			tests: {
				[hints]: ['hints beside the output › say that the service may have sent only a part'],
				[poll]: ['says once in the log of n8n that the service may have sent only a part'],
			},
		},
	],
	'What is sent': [
		{
			words:
				'Text is sent as it is; numbers and true/false become text; a list is a multiple-choice answer.',
			tests: {
				[createResponse]: [
					'a mapping › leaves out empty cells, and makes text of numbers and true or false',
				],
				[hostile]: ['whatever is entered as answers'],
			},
		},
		{
			words:
				'Anything else, such as an object or a date, is refused before the item is sent, and the error message names the question.',
			tests: {
				[createResponse]: ['an answer that cannot be sent › is refused before any request: %s'],
			},
		},
		{
			words:
				'Other fields, such as the row_number of a spreadsheet, are left out, and a hint names them.',
			tests: {
				[mapping]: ['fields that are no question › are left out, and named beside the output'],
			},
		},
		{
			words: '1 keeps the order of the items',
			tests: {
				[createResponse]: ['parallel requests › create in the order of the items, one at a time'],
			},
		},
		{
			words: 'Every text is escaped, so html can go into a page as it is.',
			tests: { [embed]: ['whatever the texts hold'] },
		},
		{
			words: 'By Question shows the questions seen in past responses of the form',
			tests: {
				[questions]: ['offers each question seen in the form %s once, in order, in one request'],
			},
		},
	],
	Trigger: [
		{
			words:
				'What came in while n8n or the service was down, or while the workflow was deactivated, is caught up on.',
			tests: {
				[poll]: [
					'polled by n8n on the path: %s › goes on where it was after a restart of n8n',
					'polled by n8n on the path: %s › emits what came while it was inactive',
					'polled by n8n on the path: %s › emits all that came while the service was down, and changes no state before',
				],
				[triggerRestarts]: ['a restart of n8n loses and repeats nothing'],
				[histories]: [RANDOM],
			},
		},
		{
			words:
				'A response is new if the trigger has not seen its ID before. Times alone never decide',
			page: 'docs/trigger.md',
			tests: {
				[dedupe]: [
					'findNew › finds every response exactly once, whatever the order, the times and what is deleted',
				],
			},
		},
		{
			words: 'Nothing is noted, so a published trigger passes it on all the same.',
			page: 'docs/trigger.md',
			tests: {
				[poll]: ['fetching a test event › leaves what an active trigger has seen as it is'],
				[histories]: [RANDOM],
			},
		},
		{
			words: 'The first poll that gets an answer passes on what was created since you published.',
			page: 'docs/trigger.md',
			tests: {
				[poll]: [
					'polled by n8n on the path: %s › when the service is %s at activation › activates, and emits what came since',
					'polled by n8n on the path: %s › compares a first poll that got nothing on the clock of the service: %s',
				],
			},
		},
		{
			words: 'The workflow is not activated, and n8n shows the reason.',
			page: 'docs/trigger.md',
			tests: { [poll]: ['a poll that fails › keeps the workflow from being activated: %s'] },
		},
	],
	'Accounts and the key': [
		{
			words: 'The key is sent to the Base URL and nowhere else: redirects are not followed.',
			tests: {
				[request]: ['does not follow a redirect (%i)'],
				[faultMatrix]: ['sends nothing to where the service redirects'],
				[credential]: ['is not sent to where the service redirects'],
			},
		},
		{
			words: 'A key never does.',
			tests: {
				[faultMatrix]: ['shows the key nowhere: sentence, output, error, static data, log'],
				[histories]: [RANDOM],
			},
		},
		{
			words: 'An item whose credential is an expression (={{ $json.apiKey }}) uses its own account',
			tests: {
				[accounts]: [
					'reads the responses of each account once',
					'submits to the account of each item',
					'skips what exists in the account of the item, not in another',
				],
				[histories]: [RANDOM],
			},
		},
	],
	Errors: [
		{
			words: 'Each error is one sentence that tells how to mend it.',
			tests: {
				[faultMatrix]: [
					'is what the page for users says',
					'speaks in one line, without words that alarm or that only programmers know',
				],
				[histories]: [RANDOM],
			},
		},
		{
			words: 'each failed item leaves by the second output with the fields it came with',
			tests: {
				[router]: [
					'creations, the second of three items failing › give its error to the error output',
				],
			},
		},
	],
	'Queue mode': [
		{
			words: 'With Skip Existing, running the import again sends what is missing and nothing else.',
			page: 'docs/queue-mode.md',
			tests: {
				[queue]: [
					'an import whose worker is killed is not started again; run again, it ends complete',
				],
			},
		},
		{
			words: 'The import goes on, and nothing is lost.',
			page: 'docs/queue-mode.md',
			tests: {
				[queue]: [
					'an import goes on while %s fails and comes back, and its caller gets the answer; run again, it sends nothing',
				],
			},
		},
		{
			words: 'no response is missed or repeated, as in a single n8n',
			page: 'docs/queue-mode.md',
			tests: {
				[queueTrigger]: [
					'the trigger emits each response once, on workers, over failures of main, Redis and PostgreSQL',
				],
			},
		},
	],
};

export const notPromised: Promised[] = [
	{
		words: 'you run the workflow again, or press Execute step again after a failed run',
		tests: { [promiseEnds]: ['with %j › "Execute step" again after a failed run'] },
	},
	{
		words:
			'you retry an execution that n8n could not save because its process ended (crash, power cut, docker stop during an import), or that you had stopped',
		tests: {
			[promiseEnds]: ['an execution in which n8n %s', 'an import that is stopped, On Error: %s'],
		},
	},
	{
		words: 'Create Response is in a sub-workflow, and the parent runs it again',
		tests: { [promiseEnds]: ['with %j › an import in a sub-workflow'] },
	},
	{
		words: 'an AI application (MCP) repeats a call whose answer was lost',
		tests: { [promiseEnds]: ['with %j › an MCP client that repeats a call whose answer was lost'] },
	},
	{
		words:
			'After a timeout or a crash give the service a moment first, since what it stores later is not seen.',
		tests: {},
	},
	{ words: 'Nothing undocumented is followed.', tests: {} },
	{
		words: 'Repeated if n8n starts the workflow but cannot save the note',
		page: 'docs/trigger.md',
		tests: {
			[triggerDatabase]: ['what n8n has emitted but could not note is repeated after a restart'],
		},
	},
	{
		words:
			'Missed if n8n is killed in the moment between saving the note and starting the execution',
		page: 'docs/trigger.md',
		tests: {
			[triggerDatabase]: [
				'what n8n has noted but could not start is missed, without durable cursors',
			],
		},
	},
	{
		words: 'you rename the trigger node',
		page: 'docs/trigger.md',
		tests: {
			[poll]: ['polled by n8n on the path: %s › repeats nothing when the node gets another name'],
		},
	},
	{
		words:
			'a response is missed if it turns up late and its created_at lies before the newest 5,000',
		page: 'docs/trigger.md',
		tests: {},
	},
	{
		words: 'a worker is killed | The execution is not started again on another worker.',
		page: 'docs/queue-mode.md',
		tests: {
			[queue]: [
				'an import whose worker is killed is not started again; run again, it ends complete',
			],
		},
	},
	{
		words:
			'PostgreSQL is down when an import ends | All rows are stored, but n8n cannot save the result',
		page: 'docs/queue-mode.md',
		tests: {
			[queue]: [
				'if PostgreSQL is down when an import ends, its result is lost; retried, it ends complete',
			],
		},
	},
	{
		words:
			'several main processes (n8n Enterprise), separate webhook processes, Redis Cluster, and a Redis or PostgreSQL that comes back without its data',
		page: 'docs/queue-mode.md',
		tests: {},
	},
];
