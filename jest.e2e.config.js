/** @type {import('jest').Config} */
module.exports = {
	...require('./jest.config'),
	testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/'],
	setupFiles: [],
	// One n8n at a time: two cores, and each n8n wants one.
	maxWorkers: 1,
	testTimeout: 180_000,
};
