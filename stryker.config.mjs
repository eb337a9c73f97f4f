import jest from './jest.config.js';

/**
 * `npx stryker run` changes the pure files in small ways, one at a time, and tells which changes test/unit does not
 * notice. It keeps what it knows in coverage/mutation.json, so that the next run looks only at what was changed.
 */
export default {
	mutate: [
		'actions/createResponse/mapping',
		'parameters/values',
		'responses/answerFilters',
		'responses/createdAt',
		'responses/query',
		'responses/table',
		'transport/connectionFailure',
		'transport/jsonList',
		'transport/retry',
		'trigger/dedupe',
	].map((file) => `nodes/FormCollection/${file}.ts`),
	testRunner: 'jest',
	testRunnerNodeArgs: ['--experimental-vm-modules'],
	jest: {
		projectType: 'custom',
		config: { ...jest.projects[0], testMatch: ['<rootDir>/test/unit/**/*.test.ts'], projects: [] },
		enableFindRelatedTests: false,
	},
	coverageAnalysis: 'perTest',
	// What is set up while a file loads concerns all tests, and takes most of the time.
	ignoreStatic: true,
	ignorePatterns: ['playground', 'dist', 'docs', 'examples', 'coverage'],
	incremental: true,
	incrementalFile: 'coverage/mutation.json',
	concurrency: 2,
	// Longer than a busy machine needs: a run that is ended counts as a change that is noticed.
	timeoutMS: 30_000,
	reporters: ['clear-text', 'progress-append-only'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	thresholds: { break: 95 },
	tempDirName: 'coverage/mutation',
	logLevel: 'warn',
};
