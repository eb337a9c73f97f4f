import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { equal } from 'node:assert';
import type { Sandbox, SandboxForm, SandboxResponse } from '../../sandbox';
import { execute, type TestResult, type TestRun } from './engine';

export const credentialsOf = ({ baseUrl, apiKey }: Pick<Sandbox, 'baseUrl' | 'apiKey'>) => ({
	baseUrl,
	apiKey,
});

/** Runs the node with the credential of this sandbox. */
export async function runOn(
	sandbox: Sandbox,
	parameters: INodeParameters,
	more: Partial<TestRun> = {},
): Promise<TestResult> {
	return await execute({ parameters, credentials: credentialsOf(sandbox), ...more });
}

/** What n8n shows beside the output. */
export async function hintsOf(
	sandbox: Sandbox,
	parameters: INodeParameters,
	more: Partial<TestRun>,
) {
	const { run, status } = await runOn(sandbox, parameters, more);
	equal(status, 'success');
	return run.data.resultData.runData['Form Collection']?.at(-1)?.hints;
}

export const byId = (value: string) => ({ __rl: true as const, mode: 'id', value });

export const fromList = (value: string) => ({
	...byId(value),
	mode: 'list',
	cachedResultName: 'Shown on the canvas',
});

/** What the service was asked, in order of arrival. */
export const requestsTo = ({ log }: Sandbox): string[] =>
	log.map(({ route, formId }) => (formId === undefined ? route : `${route} ${formId}`));

/** The first request, once the service has noticed that the caller is gone. */
export async function abandoned({ log }: Sandbox) {
	for (let triesLeft = 200; triesLeft > 0 && log[0]?.callerLeft !== true; triesLeft--) {
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
	expect(log[0]).toMatchObject({ callerLeft: true });
	return log[0];
}

/** Output items of one input item. */
export const itemsOf = (records: readonly object[], item: number): INodeExecutionData[] =>
	records.map((json) => ({ json: json as IDataObject, pairedItem: { item } }));

export const formRecord = (id: string, more: Partial<SandboxForm> = {}): SandboxForm => ({
	id,
	title: `Form ${id}`,
	slug: `form-${id}`,
	status: 'published',
	created_at: '2026-01-01T00:00:00.000Z',
	...more,
});

export const responseRecord = (
	formId: string,
	id: string,
	more: Partial<SandboxResponse> = {},
): SandboxResponse => ({
	id,
	form_id: formId,
	answers: { name: `Name ${id}` },
	created_at: '2026-01-01T00:00:00.000Z',
	...more,
});

/** Message and description of what an execution failed with. */
export const shownBy = ({ error }: Pick<TestResult, 'error'>): string =>
	`${error?.message}\n${error?.description ?? ''}`;

/** What the first failed item says of its submission: refused, not sent, or unknown. */
export const outcomeOf = ({ failed }: Pick<TestResult, 'failed'>): string | undefined =>
	/\nOutcome: (.*)$/.exec(String(failed[0]?.json.error))?.[1];

export async function until(isTrue: () => boolean): Promise<void> {
	while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1));
}
