import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { verifyService } from './verify';

const help = `Checks a Form Collection Service against its API reference, and tells what it shows where the reference
leaves something open. Sends at most 8 requests, and 3 more with --submit; the Free plan allows 100 an hour.

  FORM_COLLECTION_API_KEY=… npm run verify:service -- --base-url <url> [options]

  --base-url <url>     the API root, as in the credential, such as https://forms.example.com/api
  --embed-url <url>    the address of the embed script, without /embed.js
  --submit <form ID>   also submits a response to this form; without it nothing is changed
  --report <file>      also writes what it prints to this file

Ends with status 0 only if the service does all that the reference states.`;

/** What a service sends may steer a terminal, or repeat the key. */
const plain = (text: string, key: string) => text.replace(/[\s\p{C}]+/gu, ' ').replaceAll(key, '…');

async function main(): Promise<boolean> {
	const text = { type: 'string' } as const;
	const options = { 'base-url': text, 'embed-url': text, submit: text, report: text } as const;
	const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } });
	const key = process.env.FORM_COLLECTION_API_KEY?.trim();
	const { 'base-url': baseUrl = '', 'embed-url': embedUrl, submit, report } = values;
	if (values.help || !key || !URL.canParse(baseUrl)) {
		console.log(help);
		return values.help === true;
	}
	const service = { baseUrl, apiKey: key, embedUrl };
	const { holds, results, requests } = await verifyService(service, submit);
	const lines = results.map(
		({ name, outcome, text }) => `${outcome.padEnd(12)} ${name}${text && `: ${plain(text, key)}`}`,
	);
	const summary = `${baseUrl}, ${new Date().toISOString().slice(0, 10)}, ${requests} requests: ${holds ? 'all' : 'not all'} that the reference states was seen and holds`;
	const output = [...lines, '', summary, ''].join('\n');
	console.log(output);
	if (report) writeFileSync(report, output);
	return holds;
}

main().then(
	(holds) => (process.exitCode = holds ? 0 : 1),
	(error: Error) => {
		console.error(error.message);
		process.exitCode = 1;
	},
);
