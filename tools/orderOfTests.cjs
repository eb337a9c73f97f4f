const Sequencer = require('@jest/test-sequencer').default;

/** Runs the test files in the order in which `MUTATION_TESTS` names them: most mutants end in the first. */
module.exports = class OrderOfTests extends Sequencer {
	sort(tests) {
		const files = process.env.MUTATION_TESTS.split(',');
		const place = ({ path }) => files.findIndex((file) => path.endsWith(file));
		return [...tests].sort((a, b) => place(a) - place(b));
	}
};
