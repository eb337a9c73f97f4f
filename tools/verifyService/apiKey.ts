import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

export const ENVIRONMENT_VARIABLE = 'FORM_COLLECTION_API_KEY';

export interface Terminal {
	input: NodeJS.ReadableStream & { isTTY?: boolean };
	output: NodeJS.WritableStream;
}

/** @returns the key from the option, else from the environment, else what somebody types at the prompt */
export async function findApiKey(
	option: string | undefined,
	environment: NodeJS.ProcessEnv,
	terminal: Terminal,
): Promise<string> {
	const given = option ?? environment[ENVIRONMENT_VARIABLE];
	if (given === undefined && terminal.input.isTTY !== true) {
		throw new Error(`No API key: set ${ENVIRONMENT_VARIABLE}, or use --api-key`);
	}
	const key = (given ?? (await prompt(terminal))).trim();
	if (!/^[!-~]+$/.test(key)) {
		throw new Error('The API key is empty, or has characters that no HTTP header can carry');
	}
	return key;
}

/** Readline echoes what is typed to its output, so that leads nowhere. */
async function prompt({ input, output }: Terminal): Promise<string> {
	output.write('API key (not shown): ');
	const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
	const lines = createInterface({ input, output: nowhere, terminal: true });
	const cancelled = new Promise<never>((_resolve, reject) => {
		for (const event of ['SIGINT', 'close']) {
			lines.once(event, () => reject(new Error('No API key was typed')));
		}
	});
	try {
		return await Promise.race([lines.question(''), cancelled]);
	} finally {
		lines.close();
		output.write('\n');
	}
}
