// Not UTC, so that a time read in the zone of the computer is noticed.
process.env.TZ = 'America/New_York';

const both = {
	testEnvironment: 'node',
	// Without it, each use of them goes through the sandbox of jest, which is slow in loops.
	sandboxInjectedGlobals: ['Array', 'JSON', 'Math', 'Number', 'Object', 'String'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.json', diagnostics: false }] },
	modulePathIgnorePatterns: [
		'<rootDir>/coverage/',
		'<rootDir>/dist/',
		'<rootDir>/playground/pinned/node_modules/',
		'<rootDir>/playground/.data/',
	],
};

/** @type {import('jest').Config} */
module.exports = {
	projects: [
		{
			...both,
			displayName: 'unit',
			testMatch: ['<rootDir>/test/**/*.test.ts'],
			testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/'],
			setupFiles: ['<rootDir>/test/support/environment.ts'],
		},
		{
			...both,
			displayName: 'e2e',
			// Those of the folder `weekly` tell more about n8n than about the package.
			testMatch: [`<rootDir>/test/e2e/${process.env.WEEKLY ? 'weekly/' : ''}*.test.ts`],
			globalSetup: '<rootDir>/test/e2e/support/setup.ts',
		},
	],
};
