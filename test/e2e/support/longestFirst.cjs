const Sequencer = require('@jest/test-sequencer').default;

/** By the time that they take. Those that keep the computer busy stand between those that mostly wait. */
const order = [
	'queue',
	'triggerDatabase',
	'triggerRestarts',
	'trigger',
	'reliability',
	'queueTrigger',
	'whereThePromiseEnds',
	'apiKey',
	'editor',
	'walk',
];

/** So that no long file runs alone in the end. */
module.exports = class LongestFirst extends Sequencer {
	sort(tests) {
		const place = ({ path }) => {
			const found = order.findIndex((name) => path.endsWith(`/${name}.test.ts`));
			return found === -1 ? order.length : found;
		};
		return super.sort(tests).sort((a, b) => place(a) - place(b));
	}
};
