/**
 * Changes the published code in small ways, one at a time, and tells which changes the tests do not notice: what must
 * notice them is stated for each part of the code. Ends with status 1 if less than 95 % are noticed. What it knows is
 * kept in coverage/mutation, so that the next run looks only at what was changed.
 *
 *   node tools/mutation/main.mjs              all parts
 *   node tools/mutation/main.mjs trigger      this one
 */
import { Stryker } from '@stryker-mutator/core';
import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import jest from '../../jest.config.js';

const LEAST_PERCENT = 95;

/** In nodes/FormCollection and in test, without `.ts` and `.test.ts` */
const parts = {
	pure: {
		files: [
			'actions/createResponse/mapping',
			'parameters/values',
			'responses/{createdAt,query,table}',
			'transport/{connectionFailure,jsonList,retry,showable}',
			'trigger/dedupe',
		],
		tests: ['unit/*'],
	},
	trigger: { files: ['trigger/poll'], tests: ['features/trigger', 'features/items'] },
	submissions: {
		files: ['submissions/*', 'transport/hash'],
		tests: [
			'unit/existingResponses',
			'features/submissionLog',
			'features/skipExisting',
			'features/createResponse',
		],
	},
	actions: {
		files: ['actions/router', 'actions/createResponse/{createResponse,readAnswers}'],
		tests: [
			'features/createResponse',
			'features/items',
			'features/submissionLog',
			'features/skipExisting',
			'features/formsQuestionsEmbedCode',
			'features/getResponses',
			'features/credential',
		],
	},
	reading: {
		files: [
			'actions/{getEmbedCode,getForms,getQuestions,getResponses,hints}',
			'responses/{answerFilters,answers,formRead,questionOrder,questions}',
			'transport/records',
		],
		tests: [
			'features/interface',
			'unit/responses',
			'features/getResponses',
			'features/formsQuestionsEmbedCode',
			'features/createResponse',
			'features/items',
		],
	},
	transport: {
		files: ['transport/{body,client,request}'],
		tests: [
			'features/requests',
			'features/getResponses',
			'features/items',
			'features/credential',
			'features/faultMatrix',
		],
	},
	account: {
		files: ['transport/account'],
		tests: [
			'features/credential',
			'features/formsQuestionsEmbedCode',
			'features/items',
			'features/trigger',
		],
	},
	errors: {
		files: ['transport/{errors,errorTable,requestError}'],
		tests: [
			'features/requests',
			'features/faultMatrix',
			'features/items',
			'features/skipExisting',
			'features/trigger',
		],
	},
	editor: {
		files: ['methods/*', '../../credentials/*'],
		tests: [
			'features/interface',
			'features/editorLists',
			'features/createResponse',
			'features/credential',
			'features/faultMatrix',
		],
	},
	fields: {
		files: [
			'*',
			'actions/index',
			'actions/createResponse/fields',
			'parameters/{fields,formLocator}',
		],
		tests: [
			'features/interface',
			'features/items',
			'features/getResponses',
			'features/editorLists',
			'features/formsQuestionsEmbedCode',
			'features/roundTrip',
			'features/trigger',
		],
	},
};

const optionsOf = (name, { files, tests }) => ({
	mutate: files.map((file) => join('nodes/FormCollection', `${file}.ts`)),
	plugins: ['@stryker-mutator/*', './tools/mutation/texts.mjs'],
	ignorers: ['texts'],
	testRunner: 'jest',
	testRunnerNodeArgs: ['--experimental-vm-modules'],
	jest: {
		projectType: 'custom',
		enableFindRelatedTests: false,
		config: {
			...jest.projects[0],
			projects: [],
			testMatch: tests.map((file) => `<rootDir>/test/${file}.test.ts`),
			testRunner: '<rootDir>/tools/mutation/jest-circus.cjs',
			testSequencer: '<rootDir>/tools/mutation/listedOrder.cjs',
		},
	},
	coverageAnalysis: 'perTest',
	ignorePatterns: ['playground', 'dist', 'docs', 'examples', 'coverage'],
	incremental: true,
	incrementalFile: `coverage/mutation/${name}.json`,
	concurrency: 3,
	// Jest keeps memory of each run, and gets slower by it.
	maxTestRunnerReuse: 25,
	// Longer than a busy machine needs: a run that is ended counts as a change that is noticed.
	timeoutMS: 15_000,
	reporters: ['clear-text', 'progress-append-only'],
	clearTextReporter: {
		allowColor: false,
		logTests: false,
		reportTests: false,
		reportScoreTable: false,
	},
	tempDirName: 'coverage/mutation/copy',
	logLevel: 'warn',
});

const isNoticed = ({ status }) => status === 'Killed' || status === 'Timeout';
const isMissed = ({ status }) => status === 'Survived' || status === 'NoCoverage';

function print(name, results) {
	const all = results.filter(isNoticed).length + results.filter(isMissed).length;
	const percent = (100 * results.filter(isNoticed).length) / all;
	console.log(`${String(all).padStart(6)} ${percent.toFixed(1).padStart(6)} %  ${name}`);
	return percent;
}

mkdirSync('coverage/mutation', { recursive: true });
const chosen = process.argv.slice(2);
const all = [];
for (const [name, part] of Object.entries(parts)) {
	if (chosen.length > 0 && !chosen.includes(name)) continue;
	const start = Date.now();
	all.push(...(await new Stryker(optionsOf(name, part)).runMutationTest()));
	console.log(`${name}: ${Math.round((Date.now() - start) / 1000)} s`);
}
console.log('\nChanges, and how many of them were noticed:');
for (const file of new Set(all.map(({ fileName }) => fileName))) {
	print(
		relative('.', file),
		all.filter(({ fileName }) => fileName === file),
	);
}
if (print('all', all) < LEAST_PERCENT) process.exitCode = 1;
