// Not UTC, so that a time read in the zone of the computer is noticed.
process.env.TZ = 'America/New_York';

/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	// Three even on two cores: several files do little but wait.
	maxWorkers: 3,
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/'],
	// Without it, each use of them goes through the sandbox of jest, which is slow in loops.
	sandboxInjectedGlobals: ['Array', 'JSON', 'Math', 'Number', 'Object', 'String'],
	setupFiles: ['<rootDir>/test/support/environment.ts'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.json', diagnostics: false }] },
	modulePathIgnorePatterns: [
		'<rootDir>/coverage/',
		'<rootDir>/dist/',
		'<rootDir>/playground/pinned/node_modules/',
		'<rootDir>/playground/.data/',
	],
};
