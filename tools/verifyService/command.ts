import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ENVIRONMENT_VARIABLE, findApiKey, type Terminal } from './apiKey';
import { markdown, summary } from './report';
import { verifyService } from './verify';

const help = `Checks a Form Collection Service against its API reference.

  npm run verify:service -- --base-url <url> [options]

  --base-url <url>     the API root, as in the credential, such as https://forms.example.com/api
  --embed-url <url>    the address of the embed script, without /embed.js
  --submit <form ID>   also submits a response to this form; without it nothing is changed
  --api-key <key>      else ${ENVIRONMENT_VARIABLE} of the environment, else a prompt.
                       npm repeats what is typed after it: with this option use npm run --silent
  --report <file>      writes the report as Markdown

It sends at most 9 requests, and at most 3 more with --submit. The Free plan allows 100 an hour.
Ends with status 0 only if the service does all that the reference states.`;

const options = {
	'base-url': { type: 'string' },
	'embed-url': { type: 'string' },
	submit: { type: 'string' },
	'api-key': { type: 'string' },
	report: { type: 'string' },
	help: { type: 'boolean', default: false },
} as const;

function readOptions(args: string[]) {
	try {
		return parseArgs({ args, options }).values;
	} catch {
		// Its message may quote the key.
		throw new Error('These options are not understood: see --help');
	}
}

/** @returns the exit status */
export async function command(
	args: string[],
	environment: NodeJS.ProcessEnv,
	terminal: Terminal,
	print: (text: string) => void,
): Promise<number> {
	let masked = (text: string) => text;
	try {
		const values = readOptions(args);
		if (values.help) {
			print(help);
			return 0;
		}
		const baseUrl = addressIn('--base-url', values['base-url'] ?? '');
		const embedUrl = values['embed-url'] && addressIn('--embed-url', values['embed-url']);
		const apiKey = await findApiKey(values['api-key'], environment, terminal);
		masked = (text) => text.replaceAll(apiKey, '…').replaceAll(encodeURIComponent(apiKey), '…');
		const verification = await verifyService({ baseUrl, apiKey, embedUrl }, values.submit);
		print(masked(summary(verification)));
		if (values.report !== undefined) {
			const date = new Date().toISOString().slice(0, 10);
			writeFileSync(values.report, masked(markdown(baseUrl, date, verification)));
		}
		return verification.holds ? 0 : 1;
	} catch (error) {
		print(masked((error as Error).message));
		return 1;
	}
}

function addressIn(option: string, text: string): string {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search) {
		throw new Error(`${option} must be an address such as https://forms.example.com/api`);
	}
	return url.href;
}
