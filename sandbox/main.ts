import { parseArgs } from 'node:util';

import { type Plan, startSandbox, type Variant } from './index';

const help = `Runs a practice Form Collection Service with sample data on this computer.

  npx tsx sandbox/main.ts [options]

  --port <number>      default 4000
  --variant <name>     plain or extended (default): the two published variants of the service
  --plan <name>        free (100 requests per hour), pro (1,000) or enterprise (default, no limit)
  --key <text>         the API key, default sandbox-key`;

function oneOf<T extends string>(name: string, value: string, allowed: T[]): T {
	const found = allowed.find((one) => one === value);
	if (found === undefined) throw new Error(`--${name} must be one of: ${allowed.join(', ')}.`);
	return found;
}

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
	const sandbox = await startSandbox({
		port: Number(values.port),
		variant: oneOf<Variant>('variant', values.variant, ['plain', 'extended']),
		plan: oneOf<Plan>('plan', values.plan, ['free', 'pro', 'enterprise']),
		apiKey: values.key,
	});
	const { url, baseUrl, apiKey } = sandbox;
	console.log(`The Form Collection sandbox is running at ${url}

Enter in the Form Collection API credential in n8n:
  Base URL   ${baseUrl}
  API Key    ${apiKey}
  Embed URL  ${url}

Its page has forms to fill in, and lets you see every error message of the node.
The sandbox forgets what you send when it stops. Press Ctrl-C to stop it.`);
	process.once('SIGINT', () => void sandbox.stop());
	process.once('SIGTERM', () => void sandbox.stop());
}

main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
