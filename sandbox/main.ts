import { parseArgs } from 'node:util';

import { type Plan, type Sandbox, startSandbox, type Variant } from './index';

const help = `Runs a practice Form Collection Service with sample data on this computer.

  npx tsx sandbox/main.ts [options]

  --port <number>      default 4000
  --variant <name>     plain or extended (default): the two published variants of the service
  --plan <name>        free (100 requests per hour), pro (1,000) or enterprise (default, no limit)
  --key <text>         the API key, default sandbox-key`;

async function main() {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '4000' },
			variant: { type: 'string', default: 'extended' },
			plan: { type: 'string', default: 'enterprise' },
			key: { type: 'string', default: 'sandbox-key' },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return console.log(help);
	const port = Number(values.port);
	if (!Number.isInteger(port) || port < 0 || port > 65_535) {
		throw new Error('--port must be a number from 0 to 65535.');
	}
	if (!['plain', 'extended'].includes(values.variant)) {
		throw new Error('--variant must be plain or extended.');
	}
	if (!['free', 'pro', 'enterprise'].includes(values.plan)) {
		throw new Error('--plan must be free, pro or enterprise.');
	}
	const sandbox = await startSandbox({
		port,
		variant: values.variant as Variant,
		plan: values.plan as Plan,
		apiKey: values.key,
	});
	console.log(welcome(sandbox));
	process.once('SIGINT', () => void sandbox.stop());
	process.once('SIGTERM', () => void sandbox.stop());
}

function welcome({ url, baseUrl, apiKey, forms }: Sandbox): string {
	return [
		`The Form Collection sandbox is running at ${url}`,
		'',
		'Enter in the Form Collection API credential in n8n:',
		`  Base URL   ${baseUrl}`,
		`  API Key    ${apiKey}`,
		`  Embed URL  ${url}`,
		'',
		'Fill in a form yourself:',
		...forms.map(({ title, slug }) => `  ${title.padEnd(30)} ${url}/forms/${slug}`),
		'',
		'See every error message of the node:',
		`  ${url}/errors`,
		'',
		'The sandbox forgets what you send when it stops. Press Ctrl-C to stop it.',
	].join('\n');
}

main().catch((error: NodeJS.ErrnoException & { port?: number }) => {
	console.error(
		error.code === 'EADDRINUSE'
			? `Port ${error.port} is in use: stop the program that uses it, or choose another port with --port.`
			: error.message,
	);
	process.exitCode = 1;
});
