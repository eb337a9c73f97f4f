import { startSandbox } from '../../sandbox';
import { byId, credentialsOf, formRecord, responseRecord } from '../support/formCollection';
import { Poller, pollPaths } from '../support/poller';

it.each(pollPaths.filter((path) => path !== 'durable cursors'))(
	'what is created while the first poll waits for a service that is down is emitted by the first answer: %s',
	async (path) => {
		const sandbox = await startSandbox({ forms: [formRecord('f1')], responses: [] });
		try {
			sandbox.responses.push(responseRecord('f1', 'before'));
			sandbox.faults.add({ hang: true });
			const trigger = new Poller(path, {
				parameters: { formId: byId('f1'), options: { timeout: 1 } },
				credentials: credentialsOf(sandbox),
				workflowId: path,
			});
			const publishing = trigger.activate();
			await new Promise((resolve) => setTimeout(resolve, 50));
			const created_at = new Date().toISOString();
			sandbox.responses.push(responseRecord('f1', 'during', { created_at }));
			expect(await publishing).toEqual([]);
			sandbox.faults.clear();

			expect((await trigger.tick()).map(({ id }) => id)).toEqual(['during']);
			expect(await trigger.tick()).toEqual([]);
		} finally {
			await sandbox.stop();
		}
	},
	30_000,
);
