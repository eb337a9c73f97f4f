export interface Version {
	n8n: string;
	node: string;
	/** For npm, where the dependencies of this n8n do not fit together any more */
	overrides?: Record<string, string>;
	/** What this n8n does not have, so that the tests ask for it only in others */
	lacks: { feature: string; why: string }[];
	/** Tests that do not pass there, as `file: name`, and why that is no defect of the package */
	known: { test: string; why: string }[];
}

/** What Jest writes with `--json`. */
export interface Report {
	testResults: {
		name: string;
		assertionResults: { status: string; fullName: string }[];
	}[];
}

export interface Row {
	n8n: string;
	node: string;
	date: string;
	files: Record<string, { passed: number; failed: string[] }>;
}

const DID_NOT_RUN = 'the file did not run';

/** @param report undefined where Jest wrote none */
export function resultsOf(files: string[], report: Report | undefined): Row['files'] {
	return Object.fromEntries(
		files.map((file) => {
			const tests =
				report?.testResults.find(({ name }) => name.endsWith(`/${file}.test.ts`))
					?.assertionResults ?? [];
			const failed = tests.filter(({ status }) => status !== 'passed');
			return [
				file,
				{
					passed: tests.length - failed.length,
					failed: tests.length === 0 ? [DID_NOT_RUN] : failed.map(({ fullName }) => fullName),
				},
			];
		}),
	);
}

/** @returns how the results differ from what is known, an error message for each difference */
export function surprises(n8n: string, files: Row['files'], known: Version['known']): string[] {
	const failed = Object.entries(files).flatMap(([file, result]) =>
		result.failed.map((name) => `${file}: ${name}`),
	);
	return [
		...failed
			.filter((test) => !known.some((difference) => difference.test === test))
			.map((test) => `n8n ${n8n} failed: ${test}`),
		...known
			.filter(({ test }) => !failed.includes(test))
			.map(({ test }) => `n8n ${n8n} passed, so it is no known difference any more: ${test}`),
	];
}

export function page(files: string[], rows: Row[], versions: Version[]): string {
	const cell = ({ passed, failed }: { passed: number; failed: string[] }) =>
		failed.length === 0 ? `${passed} passed` : `${passed} passed, ${failed.length} not`;
	const table = [
		`| n8n | Node.js | ${files.join(' | ')} | Date |`,
		`| --- | --- |${' --- |'.repeat(files.length)} --- |`,
		...rows.map(
			({ n8n, node, date, files: results }) =>
				`| ${[n8n, node, ...files.map((file) => cell(results[file]!)), date].join(' | ')} |`,
		),
	];
	const sections = rows.flatMap(({ n8n }) => {
		const { lacks = [], known = [] } = versions.find((version) => version.n8n === n8n) ?? {};
		const differences = [
			...lacks.map(({ feature, why }) => `- No ${feature}: ${why}`),
			...known.map(({ test, why }) => `- Not passed: ${test}: ${why}`),
		];
		return differences.length === 0 ? [] : [`## n8n ${n8n}`, '', ...differences, ''];
	});
	return [
		'# Compatibility',
		'',
		'The end-to-end tests of the packed package in the oldest n8n that it supports, in one between the two, and in',
		'the newest. `npm run e2e:versions` writes this page, and fails where a test fails that is not listed',
		'below. What an older n8n does not have is listed too: there the tests do without it.',
		'',
		...table,
		'',
		...sections,
	].join('\n');
}
