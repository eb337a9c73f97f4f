const { default: runFile } = require('jest-circus/runner');

/** Of the change that is being tried: what the file came to in which a test noticed it */
let noticed = { change: undefined, result: undefined };

/** Runs a file of tests up to the first that fails, and no file after that: one is enough. */
module.exports = async (globalConfig, config, environment, ...more) => {
	const change = process.env.__STRYKER_ACTIVE_MUTANT__;
	if (change !== undefined && noticed.change === change) return noticed.result;
	let hasFailed = false;
	const handle = environment.handleTestEvent?.bind(environment);
	environment.handleTestEvent = async (event, state) => {
		await handle?.(event, state);
		if (event.name === 'test_start' && hasFailed) event.test.mode = 'skip';
		if (event.name === 'test_done' && event.test.errors.length > 0)
			hasFailed = change !== undefined;
	};
	const result = await runFile(globalConfig, config, environment, ...more);
	if (result.numFailingTests > 0) noticed = { change, result };
	return result;
};
