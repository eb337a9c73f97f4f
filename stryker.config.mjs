import jest from './jest.config.js';

/** tools/mutation.ts says which lines to change. */
export default {
	testRunner: 'jest',
	testRunnerNodeArgs: ['--experimental-vm-modules'],
	jest: {
		projectType: 'custom',
		config: {
			...jest.projects[0],
			projects: [],
			// The fault matrix waits for its faults, and the histories of test/model are random.
			testPathIgnorePatterns: ['/node_modules/', '/test/(e2e|model|tools|sandbox)/', 'faultMatrix'],
			// The machine is busy with several changes.
			testTimeout: 30_000,
			testSequencer: '<rootDir>/tools/stryker/coveringTests.cjs',
			setupFiles: [...jest.projects[0].setupFiles, '<rootDir>/tools/stryker/endAtFirstFailure.cjs'],
		},
		enableFindRelatedTests: false,
	},
	coverageAnalysis: 'perTest',
	plugins: ['@stryker-mutator/jest-runner', './tools/stryker/ignoreTextsOfEditor.mjs'],
	ignorers: ['texts-of-editor'],
	ignorePatterns: ['playground/pinned', 'playground/.data', 'dist', 'docs/pictures', 'coverage'],
	incremental: true,
	incrementalFile: 'coverage/mutation.json',
	concurrency: 2,
	dryRunTimeoutMinutes: 15,
	// What is set up while a file loads concerns all tests, so that each change of it would take minutes.
	ignoreStatic: true,
	// On top of one and a half times what the covering tests take: a run that is ended counts as a change that is noticed.
	timeoutMS: 20_000,
	reporters: ['json', 'progress-append-only'],
	jsonReporter: { fileName: 'coverage/mutation-report.json' },
	tempDirName: 'coverage/mutation',
	logLevel: 'warn',
};
