const Sequencer = require('@jest/test-sequencer').default;

const first = ['triggerDatabase', 'queue', 'triggerRestarts', 'trigger', 'queueTrigger'];

/** Begins with the files that mostly wait, so that the others have the computer to themselves meanwhile. */
module.exports = class WaitingFirst extends Sequencer {
	sort(tests) {
		const rank = ({ path }) =>
			first.findIndex((name) => path.endsWith(`/${name}.test.ts`)) + 1 || Infinity;
		return super.sort(tests).sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
	}
};
