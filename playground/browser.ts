import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

import { findProgram } from './programs';

const commands = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const macApplications = [
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
	'/Applications/Chromium.app/Contents/MacOS/Chromium',
];

function findChromium(): string {
	const found =
		commands.map((command) => findProgram(command)).find(Boolean) ??
		macApplications.find(existsSync);
	if (found) return found;
	throw new Error(
		'The browser tests need Chromium or Google Chrome, and neither was found. ' +
			'Install one, e.g. with "apt-get install chromium".',
	);
}

export async function launchBrowser(): Promise<Browser> {
	return await chromium.launch({
		executablePath: findChromium(),
		args: [
			'--no-sandbox',
			'--disable-gpu',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
		],
	});
}
