const tests = process.env.MUTATION_TESTS?.split(',');

/** One run of `npm run mutation`, which tells the files to mutate and the tests to run. */
export default {
	testRunner: 'jest',
	testRunnerNodeArgs: ['--experimental-vm-modules'],
	jest: {
		projectType: 'custom',
		configFile: 'jest.config.js',
		config: {
			// The machine is busy with several changes.
			testTimeout: 30_000,
			testSequencer: '<rootDir>/tools/orderOfTests.cjs',
			testMatch: tests?.map((file) => `<rootDir>/${file}`),
			setupFiles: [
				'<rootDir>/test/support/environment.ts',
				'<rootDir>/tools/endAtFirstFailure.cjs',
			],
		},
		enableFindRelatedTests: false,
	},
	coverageAnalysis: 'perTest',
	plugins: ['@stryker-mutator/jest-runner', './tools/ignoreTextsOfEditor.mjs'],
	ignorers: ['texts-of-editor'],
	ignorePatterns: [
		'playground/pinned',
		'playground/.data',
		'dist',
		'docs/pictures',
		'coverage',
		'examples/*.json',
	],
	concurrency: 2,
	dryRunTimeoutMinutes: 15,
	// What is set up while a file loads concerns all tests, so that each change of it would take minutes.
	ignoreStatic: true,
	// Longer than any test takes, because a test that is ended counts as a change that is noticed.
	timeoutMS: 60_000,
	reporters: ['json', 'progress-append-only'],
	jsonReporter: { fileName: process.env.MUTATION_REPORT },
	tempDirName: 'coverage/mutation',
	logLevel: 'warn',
};
