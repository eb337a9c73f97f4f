/**
 * Keeps what n8n saves of this version in test/replay, for later versions to go on from.
 *
 *   npm run release:freeze
 */
import './soakEnvironment';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../package.json';
import { saveExecutions } from '../test/replay/executions';
import { firstResponses, startService } from '../test/replay/service';
import { saveTriggers } from '../test/replay/trigger';
import { saveWorkflow } from '../test/replay/workflow';

// Saved errors would hold the paths of this computer.
Error.stackTraceLimit = 0;

const root = join(__dirname, '..', 'test', 'replay');

async function freeze(): Promise<void> {
	if (execFileSync('git', ['tag', '--list', `v${version}`], { encoding: 'utf8' }) !== '') {
		throw new Error(`${version} is released: what n8n has saved of it stays as it is`);
	}
	const service = await startService(firstResponses);
	const workflow = await saveWorkflow(service);
	service.reset();
	const triggers = await saveTriggers(service);
	await service.stop();
	const executions = await saveExecutions();

	const folder = join(root, version);
	mkdirSync(folder, { recursive: true });
	for (const [name, saved] of Object.entries({ workflow, triggers, executions })) {
		writeFileSync(join(folder, `${name}.json`), `${textOf(saved)}\n`);
	}
	console.log(`What n8n saves of ${version} is in ${folder}`);
}

/** Long lists are long lines. */
function textOf(saved: object): string {
	const text = JSON.stringify(saved, null, '\t');
	return text.replace(/\[[^[\]{}]*\]/g, (list) => list.replace(/\n\t*/g, ' '));
}

void freeze().then(
	// n8n-core leaves timers behind.
	() => process.exit(0),
	(error: Error) => {
		console.error(error);
		process.exit(1);
	},
);
