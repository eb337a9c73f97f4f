import { page, resultsOf, surprises } from '../../tools/versions/results';

const report = {
	testResults: [
		{
			name: '/somewhere/test/e2e/api.test.ts',
			assertionResults: [
				{ status: 'passed', fullName: 'reads' },
				{ status: 'failed', fullName: 'submits' },
				{ status: 'pending', fullName: 'embeds' },
			],
		},
		{
			name: '/somewhere/test/e2e/trigger.test.ts',
			assertionResults: [{ status: 'passed', fullName: 'polls' }],
		},
		{ name: '/somewhere/test/e2e/walk.test.ts', assertionResults: [] },
	],
};
const files = ['api', 'trigger', 'walk', 'editor'];
const results = {
	api: { passed: 1, failed: ['submits', 'embeds'] },
	trigger: { passed: 1, failed: [] },
	walk: { passed: 0, failed: ['the file did not run'] },
	editor: { passed: 0, failed: ['the file did not run'] },
};

it('counts as failed what did not pass, and files that did not run', () => {
	expect(resultsOf(files, report)).toEqual(results);
	expect(resultsOf(['api'], undefined)).toEqual({
		api: { passed: 0, failed: ['the file did not run'] },
	});
});

it('is surprised by failures that are not known, and by known ones that pass', () => {
	const known = [
		{ test: 'api: submits', why: 'a reason' },
		{ test: 'trigger: polls', why: 'a reason' },
	];

	expect(surprises('2.0.3', results, known)).toEqual([
		'n8n 2.0.3 failed: api: embeds',
		'n8n 2.0.3 failed: walk: the file did not run',
		'n8n 2.0.3 failed: editor: the file did not run',
		'n8n 2.0.3 passed, so it is no known difference any more: trigger: polls',
	]);
});

it('writes what passed, why the rest did not, and what the tests did without', () => {
	const version = { n8n: '2.0.3', node: '22.21.1' };
	const rows = [
		{ ...version, date: '2026-11-22', files: { api: results.api, trigger: results.trigger } },
	];
	const known = [{ test: 'api: submits', why: 'a reason' }];
	const lacks = [{ feature: 'settings menu', why: 'another reason' }];
	const text = page(['api', 'trigger'], rows, [{ ...version, lacks, known }]);

	expect(text).toContain(
		[
			'| n8n | Node.js | api | trigger | Date |',
			'| --- | --- | --- | --- | --- |',
			'| 2.0.3 | 22.21.1 | 1 passed, 2 not | 1 passed | 2026-11-22 |',
			'',
			'## n8n 2.0.3',
			'',
			'- No settings menu: another reason',
			'- Not passed: api: submits: a reason',
		].join('\n'),
	);
});
