/** @type {import('jest').Config} */
module.exports = {
	...require('./jest.config'),
	testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/'],
	setupFiles: [],
	globalSetup: '<rootDir>/test/e2e/support/setup.ts',
	testSequencer: '<rootDir>/test/e2e/support/longestFirst.cjs',
	// More than two cores' worth: several files do little but wait for n8n's minute.
	maxWorkers: 5,
	// Several n8n start at once.
	testTimeout: 300_000,
};
