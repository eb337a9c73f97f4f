/** Takes the pictures of docs/pictures: the node in n8n's editor, embedded forms, and the walk of a newcomer. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Browser } from 'playwright-core';

import { Editor, launchBrowser, signIn } from '../playground/browser';
import { ensureN8n } from '../playground/install';
import { paths } from '../playground/paths';
import { startPlayground, type Playground } from '../playground/playground';
import { run } from '../playground/run';
import { embedPageWorkflow, inARow, runsOn, using } from '../playground/workflows';

const website = (embeds: string) => `<!doctype html>
<html lang="en">
	<head>
		<title>Paper &amp; Co.</title>
		<style>
			body { margin: 0; color: #2b2622; background: #fdfaf5; font: 1.1rem/1.6 Georgia, serif; }
			header { display: flex; align-items: baseline; gap: 2rem; padding: 1.25rem 4rem; background: #fff; border-bottom: 1px solid #eadfce; }
			header b { margin-right: auto; font-size: 1.3rem; letter-spacing: .02em; }
			main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem 3rem; }
			h1 { margin: 0; font-size: 2.4rem; line-height: 1.2; font-weight: 400; }
			p { margin: .75rem 0 1.5rem; }
		</style>
	</head>
	<body>
		<header><b>Paper &amp; Co.</b><span>Notebooks</span><span>Workshop</span><span>About us</span></header>
		<main>
			<h1>Notebooks, bound by hand</h1>
			<p>Every book that leaves our workshop was folded, sewn and glued by one person. Ask us for a
			size, a colour or a paper of your own.</p>
			${embeds}
		</main>
	</body>
</html>`;

function chosenForm({ sandbox }: Playground, slug: string) {
	const form = sandbox.forms.find((candidate) => candidate.slug === slug);
	return { __rl: true, mode: 'list', value: form?.id, cachedResultName: form?.title };
}

/** Opens a node in a workflow that was not there before, and executes it. */
async function execute(
	{ client, credential }: Playground,
	editor: Editor,
	name: string,
	parameters: Record<string, unknown>,
	rows?: object[],
): Promise<void> {
	const node = { parameters, credentials: using(credential) };
	const { nodes } = runsOn(rows ?? [], name, node);
	const shown = rows ? nodes : [nodes[0]!, nodes.at(-1)!];
	const workflow = { name, nodes: shown, connections: inARow(shown) };
	await editor.openWorkflow((await client.createWorkflow(workflow)).id);
	await editor.openNode(name);
	await editor.executeStep();
}

async function takePictures(playground: Playground, editor: Editor): Promise<void> {
	const questions = ['full_name', 'email', 'company', 'topics', 'message'];
	await execute(
		playground,
		editor,
		'Create a response',
		{
			operation: 'createResponse',
			formId: chosenForm(playground, 'contact-us'),
			answersInput: 'mapping',
			answersMapping: {
				mappingMode: 'defineBelow',
				value: {
					full_name: '={{ $json.name }}',
					email: '={{ $json.email }}',
					company: '={{ $json.company }}',
					topics: '={{ $json.interests }}',
					message: 'Please call me back',
				},
				matchingColumns: [],
				schema: questions.map((id) => ({
					id,
					displayName: id === 'topics' ? 'topics (multiple choice)' : id,
					required: false,
					defaultMatch: false,
					canBeUsedToMatch: false,
					display: true,
					...(id === 'topics' && { multipleChoice: true }),
				})),
			},
		},
		[
			{
				name: 'Ada Lovelace',
				email: 'ada@example.com',
				company: 'Analytical Engines',
				interests: ['Sales', 'Partnership'],
			},
		],
	);
	await editor.picture('create-response');

	await editor.widenOutput();
	await execute(playground, editor, 'Get many responses', {
		operation: 'getResponses',
		formId: chosenForm(playground, 'newsletter'),
		returnAll: true,
		flattenAnswers: true,
	});
	await editor.picture('get-responses', { dark: true });
}

/** One page for each mode, as a visitor sees the form that the node's HTML shows. */
async function takeEmbedPictures({ client, credential, n8n }: Playground, browser: Browser) {
	await client.activateWorkflow(
		await client.createWorkflow(embedPageWorkflow('shop', credential, website)),
	);
	const page = await browser.newPage({
		viewport: { width: 1280, height: 800 },
		reducedMotion: 'reduce',
	});
	const visit = async (embed: { slug: string; mode: string; [field: string]: string }) => {
		const embeds = encodeURIComponent(JSON.stringify([embed]));
		let status: number | undefined;
		do {
			await page.waitForTimeout(500);
			status = (await page.goto(`${n8n.url}/webhook/shop?embeds=${embeds}`))?.status();
		} while (status === 404);
	};
	const picture = async (mode: string) => {
		await page.frameLocator('iframe').getByRole('heading').waitFor();
		await page.mouse.move(5, 5);
		await page.screenshot({ path: join(paths.pictures, `embed-${mode}.png`) });
		console.log(`docs/pictures/embed-${mode}.png`);
	};

	await visit({ slug: 'contact-us', mode: 'inline', height: '505px' });
	await picture('inline');
	await visit({ slug: 'newsletter', mode: 'popup', buttonText: 'Subscribe' });
	await page.getByRole('button', { name: 'Subscribe' }).click();
	await picture('popup');
	await visit({ slug: 'satisfaction-survey', mode: 'popover' });
	await page.getByRole('button', { name: /^Open form/ }).click();
	await picture('popover');
	await page.close();
}

async function main(): Promise<void> {
	await ensureN8n({ log: console.log });
	await mkdir(paths.pictures, { recursive: true });
	const userFolder = await mkdtemp(join(tmpdir(), 'form-collection-pictures-'));
	const browser = await launchBrowser();
	try {
		const playground = await startPlayground({
			userFolder,
			// The address is in the pictures.
			sandboxPort: 4000,
			log: console.log,
		});
		try {
			const editor = new Editor(await signIn(browser, playground.n8n.url));
			await takePictures(playground, editor);
			await takeEmbedPictures(playground, browser);
		} finally {
			await playground.stop();
		}
	} finally {
		await browser.close();
		await rm(userFolder, { recursive: true, force: true });
	}
	// The walk of a newcomer takes its pictures on the way.
	await run('npm', ['run', 'test:e2e', '--', 'e2e/walk'], {
		cwd: paths.root,
		env: { WRITE_DOCS: 'true' },
		stdio: 'inherit',
	});
}

void main();
