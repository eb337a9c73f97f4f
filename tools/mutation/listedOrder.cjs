const Sequencer = require('@jest/test-sequencer').default;

/** Runs the files in the order in which they are listed, so that those that notice most can be first. */
module.exports = class ListedOrder extends Sequencer {
	sort(tests) {
		const place = ({ path, context }) => context.config.testMatch.indexOf(path);
		return [...tests].sort((a, b) => place(a) - place(b));
	}
};
