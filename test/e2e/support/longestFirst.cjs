const Sequencer = require('@jest/test-sequencer').default;

/** Those that take longest or mostly wait, so that they do not run alone in the end. */
const first = ['trigger', 'queue', 'apiKey', 'reliability', 'walk'];

module.exports = class LongestFirst extends Sequencer {
	sort(tests) {
		const place = ({ path }) => {
			const found = first.findIndex((name) => path.endsWith(`/${name}.test.ts`));
			return found === -1 ? first.length : found;
		};
		return super.sort(tests).sort((a, b) => place(a) - place(b));
	}
};
