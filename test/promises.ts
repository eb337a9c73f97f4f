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

const aiPage = 'docs/ai.md';
const embeddingPage = 'docs/embedding.md';
const errorsPage = 'docs/errors.md';
const operationsPage = 'docs/operations.md';
const queuePage = 'docs/queue-mode.md';
const recipesPage = 'docs/recipes.md';
const securityPage = 'SECURITY.md';
const triggerPage = 'docs/trigger.md';

const node = 'test/nodes/FormCollection';
const accounts = `${node}/transport/accounts.test.ts`;
const agent = 'test/e2e/agent.test.ts';
const aiTool = 'test/e2e/aiTool.test.ts';
const answerFilters = `${node}/responses/answerFilters.test.ts`;
const answers = `${node}/responses/answers.test.ts`;
const apiE2e = 'test/e2e/api.test.ts';
const apiKeyE2e = 'test/e2e/apiKey.test.ts';
const client = `${node}/transport/client.test.ts`;
const contract = `${node}/contract.test.ts`;
const createResponse = `${node}/actions/createResponse/createResponse.test.ts`;
const credential = 'test/credentials/FormCollectionApi.test.ts';
const dedupe = `${node}/trigger/dedupe.test.ts`;
const editor = 'test/e2e/editor.test.ts';
const embed = `${node}/actions/embedCode.test.ts`;
const embedE2e = 'test/e2e/embed.test.ts';
const errorDetails = `${node}/transport/errorDetails.test.ts`;
const examples = 'test/e2e/examples.test.ts';
const faultMatrix = `${node}/faultMatrix.test.ts`;
const formLocator = `${node}/parameters/formLocator.test.ts`;
const forms = `${node}/methods/forms.test.ts`;
const getEmbedCode = `${node}/actions/getEmbedCode.test.ts`;
const tool = `${node}/tool.test.ts`;
const getForms = `${node}/actions/getForms.test.ts`;
const getQuestions = `${node}/actions/getQuestions.test.ts`;
const getResponses = `${node}/actions/getResponses.test.ts`;
const hints = `${node}/actions/hints.test.ts`;
const createResponseHints = `${node}/actions/createResponse/createResponseHints.test.ts`;
const histories = 'test/model/histories.test.ts';
const hostile = `${node}/hostileData.test.ts`;
const index = `${node}/actions/index.test.ts`;
const inputMask = `${node}/transport/inputMask.test.ts`;
const jsonListSplitter = `${node}/transport/jsonListSplitter.test.ts`;
const mapping = `${node}/actions/createResponse/mapping.test.ts`;
const matchOn = `${node}/actions/createResponse/matchOn.test.ts`;
const onTheWay = `${node}/transport/onTheWay.test.ts`;
const parameters = `${node}/parameters/values.test.ts`;
const otherTriggers = `${node}/trigger/otherTriggers.test.ts`;
const poll = `${node}/trigger/poll.test.ts`;
const promiseEnds = 'test/e2e/whereThePromiseEnds.test.ts';
const query = `${node}/responses/query.test.ts`;
const questions = `${node}/methods/questions.test.ts`;
const queue = 'test/e2e/queue.test.ts';
const replies = 'test/regressions/replies.test.ts';
const queueTrigger = 'test/e2e/queueTrigger.test.ts';
const request = `${node}/transport/send.test.ts`;
const retry = `${node}/transport/retry.test.ts`;
const router = `${node}/actions/router.test.ts`;
const retries = `${node}/submissions/retries.test.ts`;
const submissionLog = `${node}/submissions/submissionLog.test.ts`;
const existingResponses = `${node}/submissions/existingResponses.test.ts`;
const table = `${node}/responses/table.test.ts`;
const submissions = 'test/regressions/submissions.test.ts';
const walk = 'test/e2e/walk.test.ts';
const triggerE2e = 'test/e2e/trigger.test.ts';
const triggerDatabase = 'test/e2e/triggerDatabase.test.ts';
const triggerRestarts = 'test/e2e/triggerRestarts.test.ts';

const RANDOM = 'keeps every promise in 200 random histories';
const POLLED = 'polled by n8n on the path: %s';
const BACK = 'an item that comes back from the error output';

export const promises: Record<string, Promised[]> = {
	'The four headlines': [
		{
			words:
				'Works the first time. Pick a form from the list, map the fields, and execute the step.',
			tests: {
				[walk]: ['a newcomer, from an empty n8n to the first responses'],
				[editor]: [
					'a person finds the node, picks a form and sees its responses',
					'choosing a form for a new response shows its questions',
				],
			},
		},
		{
			words: 'Saves requests. A hundred items that ask for the same form cost one request.',
			tests: {
				[getResponses]: ['the form › is read once for a hundred items'],
				[histories]: [RANDOM],
			},
		},
		{
			words:
				'Each node submits an item once per execution. A retry sends only what was not submitted before.',
			tests: {
				[submissionLog]: ['Retry On Fail', 'does not mix the runs of one execution, as in a loop'],
				[examples]: ['a failed import, retried %s, sends each row once'],
				[retries]: ['two retries of an execution at a time, %i parallel requests'],
				[histories]: [RANDOM, 'no longer happens: %s'],
			},
		},
		{
			words: 'Tells you what to do. Every error message names the next step.',
			tests: {
				[faultMatrix]: [
					'names the next step wherever it does not work',
					'is what the page for users says',
					'speaks in one line, without words that alarm or that only programmers know',
				],
				[errorDetails]: ['is told in a sentence, sent as often as it may be, and shows no key:'],
				[histories]: [RANDOM],
			},
		},
	],
	'Submit once': [
		{
			words:
				'Within one execution, each Create Response node submits each of its input items at most once.',
			page: errorsPage,
			tests: {
				[submissionLog]: ['Retry On Fail', 'does not mix the runs of one execution, as in a loop'],
				[histories]: [RANDOM, 'no longer happens: %s'],
			},
		},
		{
			words:
				"n8n's Retry On Fail, and Retry in the list of executions, run the whole node again with all items. Create Response remembers what it has submitted in this execution",
			page: errorsPage,
			tests: {
				[submissionLog]: [
					'Retry On Fail › sends nothing twice when n8n runs the node again for a first item that failed',
				],
				[examples]: ['a failed import, retried %s, sends each row once'],
			},
		},
		{
			words:
				'What was created is not sent again and is in the output, even if you have changed the mapping since',
			page: errorsPage,
			tests: {
				[submissionLog]: [
					'Retry On Fail › sends only what was not created, and puts out everything',
				],
				[histories]: [RANDOM],
			},
		},
		{
			words: 'What was refused or not sent is sent again.',
			page: errorsPage,
			tests: {
				[onTheWay]: [
					'the submission log and Retry On Fail › send again what the service refused with `success: false`',
				],
				[submissionLog]: [`${BACK} › is sent again when it was refused`],
				[histories]: [RANDOM],
			},
		},
		{
			words:
				'An item that fails again for a reason of its own, such as an answer that the service does not accept, does not keep the others from being sent: the error message names it at the end.',
			page: errorsPage,
			tests: {
				[submissionLog]: [
					'Retry On Fail › goes on after items that fail each time, once others were created',
					'Retry On Fail › does not go on after what other items would meet, too',
				],
			},
		},
		{
			words:
				'An AI tool also recognizes what may have been stored by its answers, because a model may write the same call in another way.',
			page: errorsPage,
			tests: {
				[tool]: [
					'a tool of AI Agent 3 › does not send again what may have been stored, however the model writes the call',
				],
				[agent]: [
					'what may have been stored is not sent again when the model repeats the call in other words',
				],
			},
		},
		{
			words:
				'What may have been stored (after a timeout, a broken connection, a redirect, or an error of the service) is not sent again, and the error message names it.',
			page: errorsPage,
			tests: {
				[submissionLog]: [
					'Retry On Fail › does not send again what may have been stored, sends the rest, and names it',
				],
				[tool]: ['a tool of AI Agent 3 › does not send again what may have been stored, with %j'],
				[agent]: [
					'what may have been stored is not sent again when the model repeats the call, with %j',
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
				'The node recognizes an item by the credential, the form, the run of the node, its place among the items, and its fields.',
			page: errorsPage,
			tests: {
				[submissionLog]: [
					'a submission › is known by credential, form, item index and input item, as n8n saves them',
					'does not mix the runs of one execution, as in a loop',
				],
			},
		},
		{
			words: 'Its answers do not matter, because expressions such as {{ $now }} may change them.',
			page: errorsPage,
			tests: {
				[submissionLog]: [
					'Retry On Fail › knows a submission whose answers change with each try: %s',
				],
				[histories]: [RANDOM],
			},
		},
		{
			words: 'each failed item leaves through the second output with its original fields',
			page: errorsPage,
			tests: {
				[router]: [
					'creations, the second of three items failing › give its error to the error output',
				],
			},
		},
		{
			words:
				"Its field error, which n8n overwrites, contains the error message, the service's own words or the field with a broken expression, and in the last line Outcome: refused, Outcome: not sent, or Outcome: unknown",
			page: errorsPage,
			tests: {
				[router]: [
					'a broken expression › is explained in the item, too',
					'creations, the second of three items failing › give its error to the error output',
					'takes an item that was refused before any request like any failed item',
				],
				[submissionLog]: [
					`${BACK} › is not sent again when it may have been stored, ends the loop, and is counted`,
					`${BACK} › is sent again when it was refused`,
				],
			},
		},
		{
			words:
				'If you connect the error output to the input of the node, refused items are sent again; items with an unknown outcome are not, and the loop ends.',
			page: errorsPage,
			tests: {
				[submissionLog]: [BACK],
				[promiseEnds]: ['an error output that leads back into the same node'],
			},
		},
		{
			words: 'To send such an item anyway, remove its field error first.',
			page: errorsPage,
			tests: {
				[submissions]: [
					'the error output wired back › with a node in between that removes the error, what may be stored is sent again',
				],
			},
		},
		{
			words:
				'If the execution times out in the middle of an import, n8n saves it as canceled, and the editor offers no Retry.',
			page: errorsPage,
			tests: {
				[promiseEnds]: [
					'an import that takes longer than the execution may › has no output; retried, it sends what is missing and nothing twice',
				],
			},
		},
	],
	'Skip Existing': [
		{
			words: 'Skip Existing reads the form once, and once more after a Wait of more than a minute.',
			page: errorsPage,
			tests: {
				[submissionLog]: [
					'Skip Existing › reads a form once in an execution, however often a loop runs the node',
					'Skip Existing › reads a form once more after a Wait, for which n8n has put the execution away',
				],
			},
		},
		{
			words:
				'It skips an item if the form has a response with the same answers; each response stands for one item. You can run an import again at any time, and it ends complete and without repeats.',
			page: errorsPage,
			tests: {
				[submissionLog]: [
					'Skip Existing',
					'a credential that changes between two tries › gets a new API key, and equal items are submitted each',
				],
				[queue]: [
					'an import whose worker is killed is not started again; run again, it ends complete',
				],
				[examples]: ['import a CSV file twice: nothing is sent twice'],
				[histories]: [RANDOM],
			},
		},
		{
			words:
				'Executions that overlap, and several Create Response nodes, see what the others submit to the form, and items with the same answers wait for each other.',
			page: errorsPage,
			tests: { [existingResponses]: ['executions at the same time'] },
		},
		{
			words: 'To run an import again without repeats, turn on Skip Existing.',
			tests: {
				[submissionLog]: [
					'Skip Existing › ends complete and without repeats when an import is run again',
				],
				[examples]: ['import a CSV file twice: nothing is sent twice'],
			},
		},
		{
			words:
				'Skip Existing also settles items with an unknown outcome: a later try of the same execution reads the form once more for them.',
			page: errorsPage,
			tests: {
				[submissionLog]: [
					'Retry On Fail › settles with Skip Existing what was stored although the answer was lost',
					`${BACK} › is settled by Skip Existing, which reads the form once more`,
				],
			},
		},
		{
			words:
				'the node compares only the answers to the questions that you choose, and one response stands for any number of items',
			page: errorsPage,
			tests: {
				[matchOn]: [
					'lets one response stand for any number of items with the same answer',
					'sends one of many equal items that are submitted at the same time',
				],
			},
		},
		{
			words:
				'The comparison is exact, including upper and lower case. If you choose several questions, all their answers must be the same; a missing answer matches only a missing answer.',
			page: errorsPage,
			tests: { [matchOn]: ['compares the answers to all questions, unanswered ones included'] },
		},
		{
			words: 'An item that answers none of them is compared by all its answers.',
			page: errorsPage,
			tests: { [matchOn]: ['compares all answers of an item that answers none of the questions'] },
		},
		{
			words: 'An expression can return a list of question keys, or text such as email, phone.',
			page: errorsPage,
			tests: {
				[matchOn]: ['the questions to match on › mean the same in any order, as one text too: %s'],
			},
		},
		{
			words: 'A question that is neither in the form nor in any item is an error.',
			page: errorsPage,
			tests: {
				[matchOn]: [
					'the questions to match on › are refused if neither an item nor the form knows them: %s',
				],
			},
		},
		{
			words:
				'As long as an item may have been stored (unknown outcome), other items of the same run with the same value are not sent.',
			page: errorsPage,
			tests: {
				[matchOn]: [
					'where the outcome of the first of two equal items is unknown › the second is not sent as long as the form has no response',
				],
			},
		},
		{
			words:
				'Empty text, an empty list, and no answer count as the same in every comparison; in Match On, so does text of spaces.',
			page: errorsPage,
			tests: {
				[matchOn]: ['takes a cell that only looks empty for none'],
				[submissionLog]: [
					'Skip Existing › takes an unanswered question for the same, however it is stored: %s',
				],
			},
		},
		{
			words:
				'One chosen option counts as the same as text and as a list. The order of several options matters.',
			page: errorsPage,
			tests: {
				[submissionLog]: [
					'Skip Existing › takes one option for the same as a text and as a list',
					'Skip Existing › takes answers for the same whatever their order, but not other options or another text',
				],
			},
		},
	],
	Requests: [
		{
			words: '| Get Forms | 1 per run of the node |',
			page: errorsPage,
			tests: { [getForms]: ['with forms of its own › sends one request for five items'] },
		},
		{
			words: '| Get Responses, Get Questions | 1 per different form and run of the node |',
			page: errorsPage,
			tests: {
				[getResponses]: ['the form › is read once per distinct form'],
				[getQuestions]: [
					'tells what past responses say of each question, in one request for each form',
				],
			},
		},
		{
			words: '| Create Response | 1 per item |',
			page: errorsPage,
			tests: {
				[createResponse]: [
					'in the %s variant › creates one response per item, each in the form of the item',
				],
				[apiE2e]: ['Create Response › sends one response per item, %s'],
			},
		},
		{
			words:
				'| Skip Existing | 1 per node, different form, Match On, and execution, also in a loop; 1 more after each Wait of more than about 65 seconds |',
			page: errorsPage,
			tests: {
				[submissionLog]: [
					'Skip Existing › reads a form once in an execution, however often a loop runs the node',
				],
			},
		},
		{
			words: '| Each poll of a trigger | 1 |',
			page: errorsPage,
			tests: { [poll]: [`${POLLED} › sends one request per poll`] },
		},
		{
			words: '| Get Embed Code | none |',
			page: errorsPage,
			tests: {
				[getEmbedCode]: ['gives each item the HTML of its own form and mode, without a request'],
			},
		},
		{
			words: '| Opening or searching the form list in the editor | 1 |',
			page: errorsPage,
			tests: {
				[forms]: ['lists every form by title, told apart by slug or ID, in one request'],
				[apiE2e]: ['the form dropdown › lists all forms by title, with one request'],
			},
		},
		{
			words: '| Opening or testing the credential in the editor | 1 |',
			page: errorsPage,
			tests: {
				[credential]: ['is tested with the key, at the forms of the Base URL (%#)'],
				[apiE2e]: ['the credential test › accepts the right key and costs one request'],
			},
		},
		{
			words: '| Loading the questions of a form in the editor | 1 |',
			page: errorsPage,
			tests: {
				[questions]: ['offers each question seen in the form %s once, in order, in one request'],
			},
		},
		{
			words: 'it sends a batch, waits an hour, and continues',
			page: errorsPage,
			tests: { [examples]: ['paced import: all rows, 90 at a time, with a wait between'] },
		},
		{
			words: 'The node makes at most three tries',
			page: errorsPage,
			tests: {
				[faultMatrix]: [
					'reads at most three times, a trigger and a credential test once',
					'creates a response at most once, and nothing while it reads',
				],
			},
		},
		{
			words:
				'A read is sent again if the service could not be reached, if the connection broke, or after a temporary error of the service (408, 429, 500, 502, 503, 504), but not if it used all of its Timeout.',
			page: errorsPage,
			tests: {
				[retry]: [
					'what is sent again › of reads: the statuses that may pass',
					'what is sent again › after no reply, %s: reads %p, creations %p',
				],
			},
		},
		{
			words:
				'After three responses in a row for a form that was not found (404), no other item of this run is sent to that form.',
			page: errorsPage,
			tests: {
				[client]: [
					'submissions to a form that is not there › end after three in a row, but for those to other forms',
					'submissions to a form that is not there › go on where one in between is stored, or fails for another reason',
				],
			},
		},
		{
			words:
				"If none of the responses has an answer to a question of Answer Filters that needs one, Fetch Test Event says so, and so does a line in n8n's log, once.",
			page: triggerPage,
			tests: {
				[poll]: [
					'says once in the log of n8n that no response answers a question of the filters',
					'fetching a test event › says that no response has an answer to a question of the filters',
				],
			},
		},
		{
			words:
				'If the service asks for a wait of more than 20 seconds, or sends a 429 without saying how long to wait, the node does not send the request again.',
			page: errorsPage,
			tests: {
				[retry]: [
					'how long it waits › is what Retry-After says, unless that is too long: %i ms',
					'how long it waits › is never guessed for the hourly limit',
				],
			},
		},
		{
			words: 'A submission is sent again only if the service could not be reached, or after a 429.',
			page: errorsPage,
			tests: {
				[retry]: ['what is sent again › of creations: only what the service did not take'],
				[errorDetails]: [
					'no connection is tried again by a creation, since nothing was sent, and then creates once',
				],
				[faultMatrix]: [
					'sends a submission again only where the fault proves that it was not taken',
				],
				[onTheWay]: [
					'a host with several addresses › proves that nothing was sent where none can be reached, so a submission is sent again: %j',
				],
			},
		},
	],
	'What is read': [
		{
			words: 'In Form, select a form from the list, or enter its ID (By ID).',
			page: operationsPage,
			tests: { [formLocator]: ['reads the form of %j', 'a form chosen from the list'] },
		},
		{
			words:
				'Timeout is the number of seconds to wait for the service to respond (30). Values in parentheses are defaults.',
			page: operationsPage,
			tests: {
				[parameters]: ['a timeout › is read from %j, in milliseconds'],
				[faultMatrix]: ['is what the page for users says'],
			},
		},
		{
			words: 'Returns one item per form of your account.',
			page: operationsPage,
			tests: {
				[getForms]: [
					'in the %s variant › returns the forms as the service has them, as many as each item asks for',
				],
			},
		},
		{
			words: 'Returns every form. If it is off, returns the first forms, up to Limit (50)',
			page: operationsPage,
			tests: { [getForms]: ['with forms of its own › returns 50 forms unless told otherwise'] },
		},
		{
			words: 'Returns all responses, or the first responses, up to the limit (50)',
			page: operationsPage,
			tests: {
				[getResponses]: [
					'in the %s variant › returns the responses as the service has them, for the form and limit of each item',
					'the form › returns 50 responses unless told otherwise',
				],
			},
		},
		{
			words: 'The node returns each response as the service sends it, with every field.',
			page: operationsPage,
			tests: {
				[getResponses]: ['the form › has responses with any field, passed through untouched'],
				[getForms]: ['with forms of its own › passes every field through untouched, known or not'],
				[hostile]: ['whatever the service lists › comes through untouched, everywhere'],
			},
		},
		{
			words: 'A response must match all filters. Upper and lower case are treated alike.',
			page: operationsPage,
			tests: {
				[getResponses]: ['answer filters › must all hold'],
				[answerFilters]: ['of the answer %j: %s %j is %s'],
			},
		},
		{
			words:
				'A multiple-choice answer matches if one of its chosen options matches; it matches Does Not Equal and Does Not Contain if none of them has the value. A question without an answer counts as empty.',
			page: operationsPage,
			tests: {
				[answerFilters]: [
					'of the answer %j: %s %j is %s',
					'takes a question without an answer for one without texts: %s',
				],
			},
		},
		{
			words:
				'A filter without a question, or without the value that its condition needs, is an error.',
			page: operationsPage,
			tests: { [getResponses]: ['answer filters › are refused before any request: %j'] },
		},
		{
			words: 'Returns only responses created at this moment or later, or before this moment',
			page: operationsPage,
			tests: {
				[getResponses]: [
					'filter, order and limit › returns what was created at or after one moment and before another: %s',
				],
			},
		},
		{
			words: 'A date without a time zone is in the time zone of the workflow.',
			page: operationsPage,
			tests: {
				[parameters]: [
					'a moment › is read from %p, in the zone of the workflow where it names none',
					'a moment › is what the clocks of the zone show, whatever the zone of the server',
				],
			},
		},
		{
			words: 'Where clocks are put back, it is the first of the two hours of that name.',
			page: operationsPage,
			tests: {
				[parameters]: [
					'a moment › that the clock shows › is the first one of these, whenever it is read (%s): %s',
				],
			},
		},
		{
			words: 'A response without a readable created_at matches no date filter and sorts last.',
			page: operationsPage,
			tests: {
				[getResponses]: [
					'filter, order and limit › returns what was created at or after one moment and before another: %s',
					'filter, order and limit › puts the newest first, equal times in the order received, unreadable times last',
					'filter, order and limit › puts the oldest first, equal times in the order received, unreadable times last',
				],
				[query]: ['takes what filter, order and limit leave, of %s'],
			},
		},
		{
			words: 'Returns only the response with this ID, or nothing if there is none',
			page: operationsPage,
			tests: {
				[getResponses]: [
					'a form with many responses › is read only as far as the response with an ID',
					'a form with many responses › gives nothing for an ID that no response has',
				],
			},
		},
		{
			words: 'Filters come first, then sorting, then the limit.',
			page: operationsPage,
			tests: {
				[getResponses]: [
					'answer filters › are read for each item, in one request, before order and limit',
				],
				[query]: ['takes what filter, order and limit leave, of %s'],
			},
		},
		{
			words: 'The node filters them while they arrive and keeps in memory only what it returns.',
			page: operationsPage,
			tests: {
				[jsonListSplitter]: ['keeps no more than a record and a bounded part of the rest: %s'],
				[hostile]: ['a form with 150,000 responses › is read, in parts and whole'],
			},
		},
		{
			words:
				'A limit with As Received ends the download early, and so does a Response ID as soon as its response is found.',
			page: operationsPage,
			tests: {
				[getResponses]: [
					'a form with many responses › is read only as far as the limit in the order received needs',
					'a form with many responses › is read only as far as the response with an ID',
				],
				[replies]: ['a list that is left early'],
			},
		},
		{
			words:
				'a hint beside the output tells you if several items shared one request (turn on Execute Once to get each response only once), if the limit left out responses ("Returned 50 of 1,240 responses"), or may have, if there is no response with the Response ID or a filter leaves it out, if no response matches the filters, or if none of the responses that were read has an answer to the question of a filter (not if the download ended early with responses that match)',
			page: operationsPage,
			tests: {
				[getResponses]: [
					'as an AI tool › neither fails nor doubts the question where the limit ended the download before an answer to it',
				],
				[hints]: [
					'hints beside the output › do not doubt the question of a filter that found responses before all were read',
					'hints beside the output › say that no response answers the question of a filter (%s)',
					'hints beside the output › say why there is no output',
					'hints beside the output › say that no response matches',
					'hints beside the output › say how many items shared a request',
					'hints beside the output › say that the limit left something out, and how much if that is known, unless n8n does',
				],
			},
		},
		{
			words:
				'If one item with a fixed Limit reaches it, n8n shows a hint of its own instead, without the number of responses.',
			page: operationsPage,
			tests: {
				[hints]: [
					'hints beside the output › say that the limit left something out, and how much if that is known, unless n8n does',
				],
			},
		},
		{
			words:
				'Every row has a column for each question that was seen in the responses read, up to 500 questions. The column is empty where the question was not answered',
			page: operationsPage,
			tests: {
				[getResponses]: ['flattened answers › have columns for what was read, in every row'],
				[table]: [
					'flattened answers › have the same columns in each row, empty where a question was not answered',
					'collects a bounded number of columns, in the order of the form',
				],
			},
		},
		{
			words:
				'those with the name of a response field (id, created_at, …), with a name that makes n8n treat the item as failed (error, message, details), or with a name that later nodes drop',
			page: operationsPage,
			tests: {
				[table]: [
					'flattened answers › lose no answer and no field where names collide',
					'flattened answers › have no name that later nodes would lose',
				],
				[getResponses]: ['flattened answers › keep n8n from taking a response for a failed item'],
			},
		},
		{
			words:
				'For Flatten Answers: the text between chosen options (, ); leave it empty to keep a list',
			page: operationsPage,
			tests: {
				[getResponses]: [
					'flattened answers › stand beside the other fields, multiple choice joined as each item says',
				],
				[table]: [
					'flattened answers › keep lists without a separator, and lists of other than plain values',
				],
			},
		},
		{
			words:
				'the node returns those that it sees in past responses. For a form without responses, it returns no items.',
			page: operationsPage,
			tests: {
				[getQuestions]: [
					'tells what past responses say of each question, in one request for each form',
				],
			},
		},
		{
			words:
				'multipleChoice is true if a past answer was a list of options, or if there are only empty lists. It is false if the answers were text, and also if past responses leave it open, with empty lists beside texts or with no answers at all',
			page: operationsPage,
			tests: {
				[getQuestions]: [
					'knows by the answers %j whether a question is multiple choice',
					'tells what past responses say of each question, in one request for each form',
				],
			},
		},
		{
			words:
				'options are the options seen in answers to a multiple-choice question, at most 100: those from lists, then those that came alone, as text.',
			page: operationsPage,
			tests: {
				[getQuestions]: [
					'lists the options that came alone as text, after those in lists, each once',
					'keeps at most 100 options of a question, those in lists first',
					'keeps at most 100 options of a question',
				],
			},
		},
		{
			words:
				"a hint beside the output says that there may be more, and the trigger writes the hint to n8n's log",
			page: errorsPage,
			tests: {
				[hints]: ['hints beside the output › say that the service may have sent only a part'],
				[poll]: ['says once in the log of n8n that the service may have sent only a part'],
			},
		},
	],
	'What is sent': [
		{
			words: 'Submits one response per input item and returns the reply of the service.',
			page: operationsPage,
			tests: {
				[createResponse]: [
					'in the %s variant › creates one response per item, each in the form of the item',
					'passes the reply of the service through untouched',
				],
			},
		},
		{
			words:
				'shows the questions seen in past responses of the form, and which of them are multiple choice',
			page: operationsPage,
			tests: {
				[questions]: ['offers each question seen in the form %s once, in order, in one request'],
				[editor]: ['choosing a form for a new response shows its questions'],
			},
		},
		{
			words:
				'If message is one of these questions, a field that Flatten Answers has named answer_message is sent as message, and a field message beside it is not. If the form also has a question answer_message, only an item with a field answer_answer_message counts as flattened. Spaces around a name, and the byte order mark that Excel writes into CSV files, do not matter.',
			page: operationsPage,
			tests: {
				[mapping]: [
					'finds an answer under the name that Flatten Answers gives it',
					'sends each field to the question of exactly its name, where no flattened name says otherwise',
					'takes no field of the record for an answer that is flattened: %s',
					'names that differ only in what nobody sees › are those of the questions',
					'names that differ only in what nobody sees › match an existing response',
				],
			},
		},
		{
			words:
				'The node leaves out other fields, such as the row_number of a spreadsheet, and names them in a hint.',
			page: operationsPage,
			tests: {
				[mapping]: ['fields that are no question › are left out, and named beside the output'],
			},
		},
		{
			words:
				'A question that the node has loaded stays listed, even if no response answers it any more: to remove it, select the trash icon beside it.',
			page: operationsPage,
			tests: {
				[questions]: [
					'the rows of a saved mapping, which n8n would lose with what is mapped to them, › stay if no response has an answer any more, unless somebody has removed them',
					'the rows of a saved mapping, which n8n would lose with what is mapped to them, › are made of what is mapped %s, with or without a value yet',
				],
				[editor]: ['a question keeps what is mapped to it when no response answers it any more'],
			},
		},
		{
			words:
				'If the node does not know the questions, because the form has no responses, it sends all fields and names them in a hint, or fails if Other Fields is Stop.',
			page: operationsPage,
			tests: {
				[mapping]: [
					'fields that are no question › are all sent where no question is known',
					'fields that are no question › stop everything where no question is known, because %s',
				],
			},
		},
		{
			words:
				'If you choose another form and n8n keeps the questions of the earlier one (2.41 does while an expression has no data), the node sends nothing',
			page: operationsPage,
			tests: {
				[mapping]: [
					'questions that were loaded for another form › are refused before any request: %s',
				],
			},
		},
		{
			words:
				'Another hint names the multiple-choice questions whose answer was sent as one text because the option is empty.',
			page: operationsPage,
			tests: {
				[mapping]: [
					'text for multiple choice › is named if it was not split, and may have to be: %s',
				],
			},
		},
		{
			words:
				"If Form is an expression, the node loads the questions of the first item's form, and knows none of any other form.",
			page: operationsPage,
			tests: {
				[mapping]: [
					'a form that comes from an expression › gets all fields, unless its questions were loaded: %j',
					'a form that comes from an expression › stops only at items whose questions are not known, or that have other fields',
					'a form that comes from an expression › is split by its own questions, whatever those of the first item are: %s',
				],
			},
		},
		{
			words:
				'The node leaves out empty cells, and lists of nothing but empty text; Map Automatically also leaves out empty lists.',
			page: operationsPage,
			tests: {
				[mapping]: [
					'leaves out empty cells, also empty lists, where the questions are %s',
					'takes an empty list for no other field: %s',
				],
				[createResponse]: [
					'a mapping › leaves out empty cells, and makes text of numbers and true or false',
					'a mapping › leaves out the list that an expression makes of an empty cell',
				],
			},
		},
		{
			words: 'An item whose answers are all empty fails: it has no answers.',
			page: operationsPage,
			tests: {
				[createResponse]: [
					'rows of question key and answer › are refused before any request if they are all empty',
				],
			},
		},
		{
			words:
				'For Map Automatically: leaves out fields that match no question (default), sends them, or stops',
			page: operationsPage,
			tests: {
				[mapping]: [
					'fields that are no question › are left out, and named beside the output',
					'fields that are no question › are sent where that is chosen',
					'fields that are no question › stop everything before anything is sent where that is chosen',
				],
			},
		},
		{
			words:
				'Rows with the same key become a multiple-choice answer, without the rows that have no answer.',
			page: operationsPage,
			tests: {
				[answers]: [
					'answers › of rows with the same key are a list, whichever of them have a value',
				],
				[createResponse]: [
					'rows of question key and answer › keep empty text, and make one list of a repeated key',
				],
			},
		},
		{
			words: 'The node refuses a question key that comes twice.',
			page: operationsPage,
			tests: {
				[createResponse]: [
					'JSON with texts of the item in it › is refused if a text brings a question key that is there already',
					'JSON with texts of the item in it › is sent whatever the text, in the way that the error message names',
				],
			},
		},
		{
			words:
				'An object inside a text, such as Address: {{ $json.address }}, becomes [object Object] before the node gets it; a hint names such answers.',
			page: operationsPage,
			tests: {
				[createResponseHints]: [
					'the hints of Create Response › name answers with what is written for an object: %s',
				],
			},
		},
		{
			words: 'As JSON takes an object such as',
			page: operationsPage,
			tests: {
				[createResponse]: [
					'JSON › is a text or an object of an expression',
					'JSON › arrives exactly, whatever its keys and characters',
				],
			},
		},
		{
			words:
				'For By Question: the text between the options of a multiple-choice answer, for example ; for Sales;Support',
			page: operationsPage,
			tests: { [mapping]: ['text for multiple choice › is split where that is asked for: %s'] },
		},
		{
			words:
				'A hint names the questions whose text contains the separator and was sent whole, if the node does not know whether they are multiple choice',
			page: operationsPage,
			tests: {
				[mapping]: [
					'text for multiple choice › is named if it was not split, and may have to be: %s',
				],
			},
		},
		{
			words:
				'The number of responses to send at the same time (10); 1 keeps the order of the items',
			page: operationsPage,
			tests: {
				[createResponse]: [
					'parallel requests › are %i at a time',
					'parallel requests › create in the order of the items, one at a time',
				],
			},
		},
		{
			words:
				'Text is sent as it is. Numbers and true/false become text, and so does a date such as {{ $now }} (ISO 8601). A list becomes a multiple-choice answer.',
			page: operationsPage,
			tests: {
				[createResponse]: [
					'a date › of n8n is sent as ISO text in %s',
					'a mapping › leaves out empty cells, and makes text of numbers and true or false',
				],
				[hostile]: ['whatever is entered as answers'],
			},
		},
		{
			words:
				'Anything else, such as an object, fails before the item is sent, and the error message names the question. So does a date that n8n leaves as an object',
			page: operationsPage,
			tests: {
				[createResponse]: [
					'an answer that cannot be sent › is refused before any request: %s',
					'a date › is refused before any request where n8n makes no text of it: %s()',
				],
			},
		},
		{
			words:
				'A date that could not be read (Invalid DateTime), a list with an entry that has no value (null), and a list of lists fail, too.',
			page: operationsPage,
			tests: {
				[createResponse]: [
					'a date › is refused before any request where it could not be read: %s',
					'an answer that cannot be sent › is refused before any request: a list with an empty entry, %s',
					'an answer that cannot be sent › is refused before any request: a list of lists',
				],
			},
		},
		{
			words:
				'n8n loses what you map by hand to a question with the key constructor, prototype, or __proto__. The node then fails and sends nothing',
			page: operationsPage,
			tests: {
				[mapping]: [
					'refuses the question %s, mapped by hand, as long as it is on screen: n8n drops it',
				],
			},
		},
		{
			words: 'a hint beside the output says how many items the form already had',
			page: recipesPage,
			tests: {
				[createResponseHints]: ['the hints of Create Response › say how many items were not sent'],
			},
		},
	],
	Trigger: [
		{
			words: 'The trigger catches up on responses that arrived while n8n was down.',
			tests: {
				[poll]: [
					`${POLLED} › goes on where it was after a restart of n8n`,
					`${POLLED} › goes on after a restart of n8n while the service %s`,
					`${POLLED} › goes on after a restart of n8n while an expression gives nothing`,
				],
				[triggerRestarts]: ['a restart of n8n loses and repeats nothing'],
				[histories]: [RANDOM],
			},
		},
		{
			words:
				'A response is new if the trigger has not seen its ID before. Times alone never decide: the trigger also finds responses that were created in the same second, and responses that appear late.',
			page: triggerPage,
			tests: {
				[dedupe]: [
					'findNew › finds every response exactly once, whatever the order, the times and what is deleted',
					'findNew › finds a late one that was created before others, if it is not older than the watermark',
				],
			},
		},
		{
			words:
				'New responses come out oldest first, as items of one execution, with the same fields as in Get Responses.',
			page: triggerPage,
			tests: {
				[dedupe]: ['findNew › gives the oldest first and those without a readable time last'],
				[poll]: [
					'the items › are those of Get Responses in the %s variant',
					`${POLLED} › emits what is new after activation, once, and nothing that was there before`,
					`${POLLED} › emits once where two Poll Times are due at the same moment`,
				],
			},
		},
		{
			words:
				'The first poll runs at once and notes which responses the form has. Only later responses start the workflow.',
			page: triggerPage,
			tests: {
				[poll]: [
					`${POLLED} › emits what is new after activation, once, and nothing that was there before`,
				],
			},
		},
		{
			words: 'The first poll emits all responses of the form.',
			page: triggerPage,
			tests: {
				[poll]: [
					`${POLLED} › emits all that is there at first if existing ones are included, oldest first`,
				],
			},
		},
		{
			words:
				'You see the newest response. The trigger does not note it, so a published trigger still emits it. The test costs one request.',
			page: triggerPage,
			tests: {
				[poll]: [
					'fetching a test event › shows the newest response, wherever it is listed',
					'fetching a test event › leaves what an active trigger has seen as it is',
				],
				[histories]: [RANDOM],
			},
		},
		{
			words:
				'n8n does not activate the trigger, and shows the reason. Correct it, and publish the workflow again.',
			page: triggerPage,
			tests: {
				[poll]: ['a poll that fails › keeps the workflow from being activated: %s'],
				[triggerE2e]: [
					'a wrong key keeps a workflow from being activated, and n8n shows our sentence',
				],
			},
		},
		{
			words:
				'n8n activates the workflow. The first successful poll emits the responses created since you published, by their created_at.',
			page: triggerPage,
			tests: {
				[poll]: [
					`${POLLED} › when the service is %s at activation › activates, and emits what came since`,
					`${POLLED} › compares a first poll that got nothing on the clock of the service: %s`,
				],
				[triggerE2e]: [
					'activation takes one request for each form, and the limit does not stop it',
				],
			},
		},
		{
			words:
				'That poll appears as failed under Executions. The next successful poll emits all responses that arrived in between.',
			page: triggerPage,
			tests: {
				[poll]: [
					`${POLLED} › emits all that came while the service was down, and changes no state before`,
					'a poll that fails › says so to n8n %s, after one request',
				],
				[triggerE2e]: ['what came while the service was down is emitted when it is back'],
			},
		},
		{
			words: 'When n8n is back, the trigger emits all responses that arrived in between.',
			page: triggerPage,
			tests: {
				[poll]: [
					`${POLLED} › goes on where it was after a restart of n8n`,
					`${POLLED} › goes on after a restart of n8n while the service %s`,
					`${POLLED} › goes on after a restart of n8n while an expression gives nothing`,
				],
				[triggerRestarts]: ['a restart of n8n loses and repeats nothing'],
				[histories]: [RANDOM],
			},
		},
		{
			words:
				'you unpublish the workflow and publish it again | The trigger emits all responses that arrived in between.',
			page: triggerPage,
			tests: {
				[poll]: [`${POLLED} › emits what came while it was inactive`],
				[triggerE2e]: ['a change of the form, of the credential or of activity'],
			},
		},
		{
			words:
				'The new filters apply from then on. Of the responses that arrived before and were not emitted, the trigger emits those that match both the old and the new filters.',
			page: triggerPage,
			tests: { [poll]: [`${POLLED} › published again with other answer filters`] },
		},
		{
			words:
				'An expression in the old filters counts with the value that it had when the trigger last emitted a response, or when you published.',
			page: triggerPage,
			tests: {
				[poll]: [
					`${POLLED} › published again with other answer filters › repeats nothing that expressions in the ones before left out`,
				],
			},
		},
		{
			words:
				'the responses that this form already has count as seen, or are emitted if Include Existing Responses is on',
			page: triggerPage,
			tests: {
				[poll]: [
					`${POLLED} › starts anew for another form`,
					`${POLLED} › starts anew for another credential`,
					`${POLLED} › emits what another form has if existing ones are included`,
				],
				[triggerE2e]: ['a change of the form, of the credential or of activity'],
			},
		},
		{
			words:
				'you change the Base URL in the same credential | If the form has responses that the trigger knows, with the same created_at, the service has moved: nothing changes. If not, it is another form with the same ID, and the trigger starts over with the next poll.',
			page: triggerPage,
			tests: {
				[poll]: [`${POLLED} › with the Base URL of another server in the same credential`],
			},
		},
		{
			words:
				'you rename the trigger node | The trigger starts over at that moment. It repeats nothing, also with Include Existing Responses',
			page: triggerPage,
			tests: {
				[poll]: [
					`${POLLED} › repeats nothing when the node gets another name, and its old one back: %j`,
					`${POLLED} › repeats nothing when the node gets another name and the first poll fails`,
					`${POLLED} › with another name after a publishing that the service did not answer`,
					`${POLLED} › with the Base URL of another server in the same credential › repeats nothing where the node gets another name after one emission`,
				],
				[otherTriggers]: ['goes on where it was with the name of a trigger that is gone, with %j'],
			},
		},
		{
			words:
				"Several Form Collection Triggers in one workflow do not disturb each other, unless n8n's scheduler polls them",
			page: triggerPage,
			tests: {
				[otherTriggers]: [
					'emits each response once, whatever is published, polled and started again',
					'repeats nothing after a restart where another trigger, which was published later, emitted last',
					'misses nothing after a restart where a trigger that was published earlier emitted last',
					'keeps what another trigger emits while n8n tries again to publish one that is refused',
					'goes by what is saved where another main process had the leadership in between',
				],
			},
		},
		{
			words: 'you choose another form or another credential | The trigger starts over',
			page: triggerPage,
			tests: {
				[poll]: [
					`${POLLED} › starts anew for another form`,
					`${POLLED} › starts anew for a form that it had before another one`,
					`${POLLED} › starts anew for another credential`,
				],
				[otherTriggers]: [
					'starts over with a form that it had before another one, where another trigger has emitted',
				],
			},
		},
		{
			words:
				"you copy the workflow, also with n8n's API | The trigger of the copy starts over, as a new one.",
			page: triggerPage,
			tests: {
				[poll]: ['a copy of a workflow with what n8n has saved of it starts over (%s)'],
			},
		},
		{
			words:
				'you enter another API key in the same credential, or write the same Base URL differently | Nothing changes: the trigger continues where it left off.',
			page: triggerPage,
			tests: {
				[poll]: [
					`${POLLED} › goes on where it was with another key in the same credential`,
					`${POLLED} › goes on where it was when its Base URL is written in another way`,
				],
			},
		},
		{
			words: 'Nothing happens: the trigger does not emit them again if they come back.',
			page: triggerPage,
			tests: {
				[dedupe]: [
					'findNew › finds every response exactly once, whatever the order, the times and what is deleted',
					'findNew › does not take the watermark back when the newest responses are deleted',
				],
			},
		},
		{
			words:
				'Each poll is one request, whether it finds something or not, and whether the form is large or small. The trigger does not retry a failed poll',
			page: triggerPage,
			tests: {
				[poll]: [
					`${POLLED} › sends one request per poll`,
					'a poll that fails › says so to n8n %s, after one request',
				],
				[faultMatrix]: ['reads at most three times, a trigger and a credential test once'],
			},
		},
		{
			words:
				'the trigger downloads the responses only if something has changed (an HTTP conditional request)',
			page: triggerPage,
			tests: { [poll]: ['a service that tells whether anything has changed, on the path: %s'] },
		},
		{
			words: 'each poll reads all responses of the form, but keeps only the new ones',
			page: triggerPage,
			tests: {
				[dedupe]: ['dedupeFilter'],
				[hostile]: ['a form with 150,000 responses › is watched'],
			},
		},
		{
			words: 'The trigger notes that it has emitted a response when it emits it, never before.',
			page: triggerPage,
			tests: {
				[poll]: [
					`${POLLED} › emits all that came while the service was down, and changes no state before`,
				],
				[triggerRestarts]: ['n8n killed right after a poll that emitted loses and repeats nothing'],
			},
		},
		{
			words: 'n8n then saves the note and the execution together, or neither',
			page: triggerPage,
			tests: {
				[poll]: [
					'an n8n that has noted a poll, but could not start the execution › emits again what is new after %d others',
					'an n8n that has noted a poll, but could not start the execution › emits again what a published trigger is to include',
					'an n8n that has noted a poll, but could not start the execution › emits again what came while the trigger was changed',
				],
				[triggerDatabase]: ['what n8n has emitted but could not note is repeated after a restart'],
				[queueTrigger]: [
					'the trigger emits each response once, on workers, over failures of main, Redis and PostgreSQL',
				],
				[histories]: [RANDOM],
			},
		},
		{
			words:
				'The trigger remembers the IDs of the newest 5,000 responses of a form, and treats every response created before them as seen. This keeps the data that n8n saves small',
			page: triggerPage,
			tests: {
				[dedupe]: [
					'findNew › finds more responses at once than it remembers, and each only once',
					'findNew › saves less than 400 kB for a form of 100,000 responses',
				],
			},
		},
		{
			words:
				'the trigger remembers all their IDs together, for at least a day. It remembers every response without a created_at by its ID.',
			page: triggerPage,
			tests: {
				[dedupe]: [
					'findNew › keeps all ids of one moment at the watermark',
					'findNew › keeps the ids of an import in one second until a day later',
					'findNew › tells responses without a readable time apart by id, however many they are',
				],
			},
		},
	],
	'Embed codes': [
		{
			words:
				'Get Embed Code returns the HTML, one item per input item, and sends no request to the service.',
			page: embeddingPage,
			tests: {
				[getEmbedCode]: ['gives each item the HTML of its own form and mode, without a request'],
			},
		},
		{
			words: 'The form from the list, or its slug',
			page: embeddingPage,
			tests: {
				[formLocator]: ['a form chosen from the list › with the slug %j is embedded'],
				[getEmbedCode]: ['gives each item the HTML of its own form and mode, without a request'],
			},
		},
		{
			words:
				'The node refuses a slug that you enter, or that an expression returns, if it has spaces, slashes, or other characters that no part of an address can have',
			page: embeddingPage,
			tests: {
				[getEmbedCode]: [
					'refuses what is entered as a slug and cannot be one: %j',
					'takes whatever may be a part of an address as a slug: %j',
				],
			},
		},
		{
			words: 'Inline: the height of the form, a number with a CSS unit such as 600px or 80vh',
			page: embeddingPage,
			tests: { [embed]: ['takes the height %j', 'refuses the height %j'] },
		},
		{
			words:
				'The address of the embed script comes from Embed URL in the credential. All text is escaped, so you can use html in a page as it is.',
			page: embeddingPage,
			tests: {
				[getEmbedCode]: ['loads the script from the Embed URL %j'],
				[embed]: ['whatever the texts hold'],
				[embedE2e]: ['nothing of a text runs in the page'],
			},
		},
		{
			words: 'The form is part of the page.',
			page: embeddingPage,
			tests: {
				[embed]: ['writes the HTML of the reference for %j'],
				[embedE2e]: [
					'the example workflow shows a form in its page, and what is sent there is read back',
				],
			},
		},
		{
			words: 'A button in the page opens the form.',
			page: embeddingPage,
			tests: {
				[embed]: ['writes the HTML of the reference for %j'],
				[embedE2e]: ['a button opens the form in a dialog, with the keyboard alone'],
			},
		},
		{
			words: 'The form opens on top of the page.',
			page: embeddingPage,
			tests: {
				[embed]: ['writes the HTML of the reference for %j'],
				[embedE2e]: ['a bubble in the corner opens the form on top of the page'],
			},
		},
		{
			words: 'Scripts run, and a plain form can be submitted.',
			page: embeddingPage,
			tests: {
				[embedE2e]: [
					'the example workflow shows a form in its page, and what is sent there is read back',
				],
			},
		},
	],
	'AI tools': [
		{
			words: 'Each operation is also a tool for an AI Agent or an MCP Server Trigger',
			page: aiPage,
			tests: {
				[aiTool]: [
					'the tools say what they do and what they need',
					'Get Forms returns the forms',
					'Get Responses returns the newest ones, few if nothing is said',
					'Get Questions returns the keys that Create Response needs',
					'Create Response submits once',
				],
				[agent]: [
					'the model finds the form and its questions, submits a response and reads it back',
					'the model is told what the tools do and what they need',
				],
			},
		},
		{
			words:
				'lets an MCP client list your forms and their questions, read responses, and create a response',
			page: aiPage,
			tests: {
				[aiTool]: [
					'Get Forms returns the forms',
					'Get Questions returns the keys that Create Response needs',
					'Create Response submits once',
				],
				[examples]: [
					'MCP server: a client finds a form by its title and reads what people answered',
				],
			},
		},
		{
			words: 'n8n names and describes each tool after its operation',
			page: aiPage,
			tests: {
				[aiTool]: ['without names and descriptions of their own, all differ and say what they do'],
				[index]: ['names nodes and tools after what %s does, also in workflows without resource'],
			},
		},
		{
			words:
				'an AI Agent adds its own input to what the model fills in, such as chatInput, so the node fails and sends nothing.',
			page: aiPage,
			tests: {
				[mapping]: ['what an AI Agent adds to the call of a tool › is not submitted where %s'],
			},
		},
		{
			words: "n8n's Agents (n8n 2.41) can use the operations, too.",
			page: aiPage,
			tests: {
				[tool]: [
					"a tool of one of n8n's Agents › submits at each call of the model, and with Skip Existing once",
					"a tool of one of n8n's Agents › reads: %s",
				],
				[agent]: [
					"one of n8n's Agents › finds the form and its questions, submits a response and reads it back",
					"one of n8n's Agents › gets an embed code",
				],
			},
		},
		{
			words:
				'If a tool fails, the model receives the same error message as you do. No error message contains the API key.',
			page: aiPage,
			tests: {
				[aiTool]: ['the client gets the sentence'],
				[agent]: [
					'the model gets the error message, with On Error %s',
					"one of n8n's Agents › gets the error message",
				],
				[tool]: ['a tool of AI Agent 3 › tells the model what went wrong, with On Error %s'],
				[inputMask]: ['an error message does not show the API key: %s'],
				[faultMatrix]: ['shows the key nowhere: sentence, output, error, static data, log'],
			},
		},
		{
			words:
				'the operations that read add an item such as { "hint": "Returned 50 of 100 responses: raise Limit or turn on Return All" } at the end of a tool\'s output if the limit left something out, or may have, if the list may be incomplete, if there are no forms or responses, if no response matches the filters, or if there is no response with the Response ID or a filter leaves it out.',
			page: aiPage,
			tests: {
				[getResponses]: [
					'as an AI tool › says at the end of the output that the limit left something out',
					'as an AI tool › says that no response matches',
					'as an AI tool › says that the list may be incomplete',
					'as an AI tool › says why there is no response with a Response ID',
				],
				[getForms]: [
					'with forms of its own › tells an AI tool that the limit left out forms',
					'with forms of its own › says that there are none',
				],
				[aiTool]: ['Get Responses returns the newest ones, few if nothing is said'],
			},
		},
		{
			words:
				'If all responses were read, a filter on a question that none of them answers is an error for a tool',
			page: aiPage,
			tests: {
				[getResponses]: [
					'as an AI tool › fails for a filter on a question that no response answers: %s',
				],
			},
		},
		{
			words: 'Turn on Skip Existing in the Create Response tool to prevent this.',
			page: aiPage,
			tests: {
				[agent]: [
					"one of n8n's Agents › submits again what may have been stored, but not with Skip Existing",
				],
				[promiseEnds]: ['with %j › an MCP client that repeats a call whose answer was lost'],
				[matchOn]: ['an AI agent that calls the tool several times at once › submits once: %j'],
			},
		},
	],
	'Accounts and the key': [
		{
			words:
				'The node sends the key to the Base URL and nowhere else, and it does not follow redirects.',
			tests: {
				[request]: ['does not follow a redirect (%i)'],
				[faultMatrix]: ['sends nothing to where the service redirects'],
				[credential]: ['is not sent to where the service redirects'],
			},
		},
		{
			words:
				'The node sends the key to the origin of the Base URL and nowhere else. It does not follow redirects.',
			page: securityPage,
			tests: {
				[request]: [
					'is JSON with the key, and nothing that is not documented',
					'does not follow a redirect (%i)',
				],
				[faultMatrix]: ['sends nothing to where the service redirects'],
				[credential]: ['is not sent to where the service redirects'],
			},
		},
		{
			words: 'Create Response submits no answer that contains a key of at least 8 characters',
			page: securityPage,
			tests: {
				[createResponse]: [
					'the API key of the credential › is never part of an answer: %s',
					'the API key of the credential › is no part of a question key either',
					'the API key of the credential › is refused before the form is read',
				],
			},
		},
		{
			words:
				'The package writes the key into no log, error message, output, saved state, or embed code. If you enter a key of at least 8 characters in a wrong field, error messages show "…" in its place; n8n saves the field with the workflow.',
			page: securityPage,
			tests: {
				[inputMask]: [
					'an error message does not show the API key: %s',
					'an error message shows the API key of no item',
					'an error message stays as it is with %s',
				],
				[faultMatrix]: ['shows the key nowhere: sentence, output, error, static data, log'],
				[createResponse]: [
					'the API key of the credential › shows no part of itself where the JSON is not valid: %s',
					'the API key of the credential › is not shown where it is all of the JSON',
				],
				[poll]: [`${POLLED} › saves the key nowhere`],
				[replies]: ['an API key in a reply'],
				[submissions]: ['the reply of the service does not bring the key into the output'],
				[getEmbedCode]: ['gives each item the HTML of its own form and mode, without a request'],
				[apiKeyE2e]: [
					'the words of the service are in its log, database and answers, the key is nowhere',
				],
				[histories]: [RANDOM],
			},
		},
		{
			words: 'The package has no runtime dependencies, and sends data only to your service.',
			page: securityPage,
			tests: {
				[contract]: ['brings no other package with it'],
				[faultMatrix]: ['sends nothing to where the service redirects'],
			},
		},
		{
			words:
				'An item whose credential contains an expression (={{ $json.apiKey }}) uses its own account. What this page says about a form applies to each account separately.',
			page: errorsPage,
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
	'Queue mode': [
		{
			words: 'With Skip Existing, running the import again sends what is missing and nothing else.',
			page: queuePage,
			tests: {
				[queue]: [
					'an import whose worker is killed is not started again; run again, it ends complete',
				],
			},
		},
		{
			words: 'Executions wait, and start when a worker is running.',
			page: queuePage,
			tests: {
				[queue]: [
					'without workers an execution waits, also if Redis fails; the form list and the questions do not',
				],
			},
		},
		{
			words: 'It finishes its executions',
			page: queuePage,
			tests: { [queue]: ['a worker that is stopped finishes its import'] },
		},
		{
			words:
				'Polls continue when the main process is back: no response is missed or repeated, as in a single process.',
			page: queuePage,
			tests: {
				[queue]: ['a restart of main lets a running import end'],
				[queueTrigger]: [
					'the trigger emits each response once, on workers, over failures of main, Redis and PostgreSQL',
				],
			},
		},
		{
			words: 'Running imports continue, and n8n saves their results.',
			page: queuePage,
			tests: {
				[queue]: [
					'an import goes on while %s fails and comes back, and its caller gets the answer; run again, it sends nothing',
				],
			},
		},
		{
			words: 'The import continues, and nothing is lost.',
			page: queuePage,
			tests: {
				[queue]: [
					'an import goes on while %s fails and comes back, and its caller gets the answer; run again, it sends nothing',
				],
			},
		},
		{
			words:
				'two simultaneous imports, into different forms or into the same form, send each row once and do not mix their outputs',
			page: queuePage,
			tests: { [queue]: ['two imports at once into %s: each row once, outputs not mixed'] },
		},
		{
			words: 'that workers execute all operations, and runs from the editor',
			page: queuePage,
			tests: { [queue]: ['%s runs on a worker', 'a run from the editor is on a worker, too'] },
		},
		{
			words: 'The next poll emits what this one found: no response is missed or repeated.',
			page: queuePage,
			tests: {
				[queueTrigger]: [
					'the trigger emits each response once, on workers, over failures of main, Redis and PostgreSQL',
				],
			},
		},
		{
			words:
				'Retry runs it from its start: with Skip Existing it ends complete, and without it rows are sent twice.',
			page: queuePage,
			tests: { [queue]: ['after a power cut, retrying the import ends it complete'] },
		},
	],
};

export const notPromised: Promised[] = [
	{
		words: 'you run the workflow again, or select Execute step again after a failed run',
		page: errorsPage,
		tests: {
			[promiseEnds]: ['with %j › "Execute step" again after a failed run'],
			[submissionLog]: ['sends again in a new execution'],
		},
	},
	{
		words:
			'you retry an execution that n8n could not save because its process ended (a crash, a power cut, or docker stop during an import), or that you stopped: n8n then no longer knows what it submitted',
		page: errorsPage,
		tests: {
			[promiseEnds]: ['an execution in which n8n %s', 'an import that is stopped, On Error: %s'],
		},
	},
	{
		words: 'you retry an execution after you have selected another credential in the node',
		page: errorsPage,
		tests: {
			[submissionLog]: [
				'a submission › is known by credential, form, item index and input item, as n8n saves them',
			],
		},
	},
	{
		words: 'even with Skip Existing, both may then submit the same row',
		page: queuePage,
		tests: {},
	},
	{
		words: 'Create Response is in a sub-workflow, and the parent workflow runs it again',
		page: errorsPage,
		tests: { [promiseEnds]: ['with %j › an import in a sub-workflow'] },
	},
	{
		words: 'an AI application (MCP) repeats a call whose result was lost',
		page: errorsPage,
		tests: { [promiseEnds]: ['with %j › an MCP client that repeats a call whose answer was lost'] },
	},
	{
		words:
			'After a timeout or a crash, wait a moment first, because the node cannot see what the service stores later.',
		page: errorsPage,
		tests: {},
	},
	{ words: 'The node does not follow undocumented links.', page: errorsPage, tests: {} },
	{
		words:
			'It may load them again each time you return to the browser tab and, under Map Automatically, after each Execute step.',
		page: errorsPage,
		tests: {},
	},
	{
		words: 'Repeated if n8n starts the workflow but cannot save the note',
		page: triggerPage,
		tests: {
			[triggerDatabase]: ['what n8n has emitted but could not note is repeated after a restart'],
		},
	},
	{
		words: 'Repeated if another node of the workflow keeps static data of its own',
		page: triggerPage,
		tests: {},
	},
	{
		words:
			'Repeated because you ask for it if you retry an execution, or choose another form and come back with Include Existing Responses on.',
		page: triggerPage,
		tests: { [poll]: [`${POLLED} › emits what another form has if existing ones are included`] },
	},
	{
		words: 'Missed if n8n is killed between saving the note and starting the execution',
		page: triggerPage,
		tests: {
			[triggerDatabase]: [
				'what n8n has noted but could not start is missed, without durable cursors',
			],
		},
	},
	{
		words:
			'It repeats nothing, also with Include Existing Responses, but may miss responses that arrived after its last poll.',
		page: triggerPage,
		tests: {
			[poll]: [
				`${POLLED} › repeats nothing when the node gets another name, and its old one back: %j`,
				`${POLLED} › repeats nothing when the node gets another name and the first poll fails`,
			],
		},
	},
	{
		words:
			'With the name of the deleted one, the trigger continues where that one was; beside another trigger of the workflow, it may repeat responses.',
		page: triggerPage,
		tests: { [poll]: [`${POLLED} › continues where a deleted trigger with its name was`] },
	},
	{
		words:
			'A response is missed if the service lists it late and its created_at is older than the newest 5,000, or is shared by more than 5,000 others and a day older than the newest.',
		page: triggerPage,
		tests: {
			[dedupe]: [
				'findNew › finds a late one that was created before others, if it is not older than the watermark',
				'findNew › keeps the ids of an import in one second until a day later',
			],
		},
	},
	{
		words:
			'Cookies, browser storage, and requests that the script of a form sends to its service may be blocked.',
		page: embeddingPage,
		tests: {},
	},
	{
		words:
			'The operations that read return what the service sends, and an embed code contains the text that you enter: the package does not search these for the key.',
		page: securityPage,
		tests: {},
	},
	{
		words: 'What an AI agent reads through the node goes to the model that the agent uses.',
		page: securityPage,
		tests: {},
	},
	{
		words: 'The execution does not start again on another worker.',
		page: queuePage,
		tests: {
			[queue]: [
				'an import whose worker is killed is not started again; run again, it ends complete',
			],
		},
	},
	{
		words: 'All rows are stored, but n8n cannot save the result',
		page: queuePage,
		tests: {
			[queue]: [
				'if PostgreSQL is down when an import ends, its result is lost; retried, it ends complete',
			],
		},
	},
	{
		words:
			'Not tested: the compose file in Docker, whose images and volumes the test does not use; several main processes (n8n Enterprise); separate webhook processes; Redis Cluster; and a Redis or PostgreSQL that comes back without its data.',
		page: queuePage,
		tests: {},
	},
];
