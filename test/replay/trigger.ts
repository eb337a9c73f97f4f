import type { IDataObject } from 'n8n-workflow';
import type { Sandbox, SandboxResponse } from '../../sandbox';
import { responseRecord } from '../support/formCollection';
import { Poller } from '../support/poller';
import { credentials } from './service';

/** What n8n saves of a published workflow with a trigger, and what the form had by then. */
export interface SavedTrigger {
	staticData: IDataObject;
	responses: SandboxResponse[];
}

const poller = () =>
	new Poller('classic', {
		// Without the trigger of the saved workflow
		workflowId: 'polled',
		parameters: { formId: { __rl: true, mode: 'id', value: 'f1' } },
		credentials,
	});

/** By what happened before n8n ended. */
export async function saveTriggers(service: Sandbox): Promise<Record<string, SavedTrigger>> {
	const save = ({ saved }: Poller): SavedTrigger => ({
		staticData: JSON.parse(saved) as IDataObject,
		responses: [...service.responses],
	});

	const unanswered = poller();
	service.faults.add({ status: 429, times: 1 });
	await unanswered.activate();
	const gotNoAnswer = save(unanswered);
	service.responses.push(responseRecord('f1', 'since', { created_at: '2098-01-01T00:00:00Z' }));
	await unanswered.tick();
	const gotOneAnswer = save(unanswered);
	service.responses.pop();

	const active = poller();
	await active.activate();
	const published = save(active);

	service.responses.push(
		responseRecord('f1', 'r4', { created_at: '2026-01-04T09:00:00.000Z' }),
		responseRecord('f1', 'r5', { created_at: '2026-01-04T10:00:00.000Z' }),
	);
	await active.tick();
	const saved = save(active);

	// More than the trigger remembers by their IDs.
	const newer = Array.from({ length: 5_000 }, (_, index) =>
		responseRecord('f1', String(index), { created_at: '2026-01-05T09:00:00.000Z' }),
	);
	service.responses.push(...newer);
	await active.tick();
	return {
		'published while the service gave no answer': gotNoAnswer,
		'published while the service gave no answer, and passed on one response': gotOneAnswer,
		published,
		'published and passed on two responses': saved,
		// Newer ones may have been deleted since.
		'published and passed on 5,002 responses': { ...save(active), responses: saved.responses },
	};
}

/** n8n, as it starts again. */
export function startAgain({ staticData }: SavedTrigger): Poller {
	const again = poller();
	again.saved = JSON.stringify(staticData);
	return again;
}
