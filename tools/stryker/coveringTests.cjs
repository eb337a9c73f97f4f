const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** In Stryker's copy of the repository: the tests of each file and what it takes, from the first run */
const knownFile = join(__dirname, 'knownTests.json');

/**
 * Loads only the test files that cover the mutant, those with the most covering tests per second first. Stryker
 * gives Jest the names of these tests; without this, Jest loads all files to look for them.
 */
module.exports = class CoveringTests extends Sequencer {
	constructor(options) {
		super(options);
		this.pattern = options.globalConfig.testNamePattern;
	}

	sort(tests) {
		if (!this.pattern || !existsSync(knownFile)) return super.sort(tests);
		const wanted = new RegExp(this.pattern);
		const known = new Map(JSON.parse(readFileSync(knownFile, 'utf8')));
		const worth = ({ path }) => {
			const { names, runtime } = known.get(path);
			return names.filter((name) => wanted.test(name)).length / runtime;
		};
		return tests.filter((test) => worth(test) > 0).sort((a, b) => worth(b) - worth(a));
	}

	cacheResults(tests, { testResults }) {
		if (this.pattern) return;
		const known = testResults.map(({ testFilePath, testResults, perfStats: { runtime } }) => [
			testFilePath,
			{ names: testResults.map(({ fullName }) => fullName), runtime },
		]);
		writeFileSync(knownFile, JSON.stringify(known));
	}
};
