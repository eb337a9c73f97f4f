import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Browser } from 'playwright-core';

import { operationByValue } from '../nodes/FormCollection/actions';
import { launchBrowser } from '../playground/browser';
import { Editor, WITHOUT_EMPTY_TOOLTIPS } from '../playground/editor';
import { ensureN8n } from '../playground/install';
import type { SavedWorkflow, Workflow, WorkflowNode } from '../playground/n8nClient';
import { paths } from '../playground/paths';
import { startPlayground, type Playground } from '../playground/playground';
import { freePort } from '../playground/ports';
import { run } from '../playground/run';
import { embedPageWorkflow, nodeType } from '../playground/workflows';

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

/** As n8n names the nodes. */
function nameOf({ operation }: Record<string, unknown>): string {
	const action = operationByValue.get(String(operation))?.action;
	if (action === undefined) throw new Error(`There is no operation ${String(operation)}`);
	return action;
}

/** Manual Trigger → Edit Fields with these items → Form Collection. */
function workflow(
	name: string,
	parameters: Record<string, unknown>,
	{ credential }: Playground,
	items?: object,
): Workflow {
	const trigger: WorkflowNode = {
		name: 'When clicking ‘Execute workflow’',
		type: 'n8n-nodes-base.manualTrigger',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const fields: WorkflowNode = {
		name: 'Contact',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		position: [208, 0],
		parameters: { mode: 'raw', jsonOutput: JSON.stringify(items, null, 2), options: {} },
	};
	const node: WorkflowNode = {
		name: nameOf(parameters),
		type: nodeType,
		typeVersion: 1,
		position: [416, 0],
		parameters,
		credentials: { [credential.type]: { id: credential.id, name: credential.name } },
	};
	const nodes = items ? [trigger, fields, node] : [trigger, node];
	const connections = Object.fromEntries(
		nodes
			.slice(0, -1)
			.map(({ name: from }, i) => [
				from,
				{ main: [[{ node: nodes[i + 1]?.name, type: 'main', index: 0 }]] },
			]),
	);
	return { name, nodes, connections };
}

function chosenForm({ sandbox }: Playground, slug: string) {
	const form = sandbox.forms.find((candidate) => candidate.slug === slug);
	return { __rl: true, mode: 'list', value: form?.id, cachedResultName: form?.title };
}

async function takePictures(playground: Playground, editor: Editor): Promise<void> {
	const { client } = playground;
	const open = async (name: string, parameters: Record<string, unknown>, items?: object) => {
		const { id } = await client.createWorkflow(workflow(name, parameters, playground, items));
		await editor.openWorkflow(id);
		await editor.openNode(nameOf(parameters));
	};

	const questions = ['full_name', 'email', 'company', 'topics', 'message'];
	await open(
		'Send a contact form',
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
		{
			name: 'Ada Lovelace',
			email: 'ada@example.com',
			company: 'Analytical Engines',
			interests: ['Sales', 'Partnership'],
		},
	);
	await editor.executeStep();
	await editor.picture('create-response', { dark: true });

	const beforeTheRun = workflow(
		'Before the first run',
		{ operation: 'getResponses', formId: chosenForm(playground, 'newsletter') },
		playground,
	);
	const next: WorkflowNode = {
		name: 'Edit Fields',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		position: [624, 0],
		parameters: { options: {} },
	};
	beforeTheRun.nodes.push(next);
	beforeTheRun.connections['Get many responses'] = {
		main: [[{ node: next.name, type: 'main', index: 0 }]],
	};
	await editor.openWorkflow((await client.createWorkflow(beforeTheRun)).id);
	await editor.openNode(next.name);
	await editor.page.getByText(/Usually outputs the following fields/).waitFor();
	await editor.picture('output-preview', { clip: { x: 25, y: 25, width: 825, height: 420 } });

	await open('My forms', { operation: 'getForms', returnAll: true });
	await editor.widenOutput();
	await editor.executeStep();
	await editor.picture('get-forms');

	await open('Newsletter responses', {
		operation: 'getResponses',
		formId: chosenForm(playground, 'newsletter'),
		returnAll: true,
		flattenAnswers: true,
		options: { sort: 'newestFirst' },
	});
	await editor.executeStep();
	await editor.picture('get-responses', { dark: true });

	const newResponse = playground.examples.find(({ name }) => /new response/i.test(name));
	if (newResponse) {
		await editor.openWorkflow(newResponse.id);
		await editor.openNode('New response');
		await editor.executeStep();
		await editor.picture('trigger', { dark: true });
	}

	await open('A form for the website', {
		operation: 'getEmbedCode',
		formSlug: { ...chosenForm(playground, 'newsletter'), value: 'newsletter' },
		mode: 'popup',
		buttonText: 'Subscribe',
	});
	await editor.executeStep();
	await editor.picture('get-embed-code');

	const csvImport = playground.examples.find(({ name }) => /csv/i.test(name));
	if (csvImport) {
		await editor.openWorkflow(csvImport.id);
		await editor.executeWorkflow();
		await editor.picture('import-csv');
	}
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

const circle = (page: Buffer, message: Buffer) => `<!doctype html>
<html lang="en">
	<head>
		<style>
			body { display: flex; gap: 16px; margin: 0; padding: 24px; background: #f1f3f8; color: #1c2430; font: 600 17px/1.4 system-ui, sans-serif; }
			figure { flex: 1; margin: 0; }
			img { display: block; width: 100%; border-radius: 10px; box-shadow: 0 2px 12px #0003; }
			figcaption { padding: 14px 4px 0; }
			b { display: inline-block; width: 1.6em; margin-right: .4em; border-radius: 50%; background: #4f46e5; color: #fff; text-align: center; }
			i { align-self: center; font: 40px system-ui; color: #4f46e5; }
		</style>
	</head>
	<body>
		<figure><img src="data:image/png;base64,${page.toString('base64')}"><figcaption><b>1</b>Get Embed Code puts the form into a page, and a visitor fills it in</figcaption></figure>
		<i>→</i>
		<figure><img src="data:image/png;base64,${message.toString('base64')}"><figcaption><b>2</b>The trigger passes the new response on, and Sales gets a message</figcaption></figure>
	</body>
</html>`;

/** From the example that shows a form to the example that its response starts. */
async function takeCirclePicture({ client, n8n, examples }: Playground, editor: Editor) {
	const exampleId = (name: RegExp) => examples.find((example) => name.test(example.name))?.id ?? '';
	await client.activateWorkflow(
		await client.request<SavedWorkflow>('GET', `/workflows/${exampleId(/form in a page/)}`),
	);

	const page = await editor.page
		.context()
		.browser()!
		.newPage({
			viewport: { width: 1000, height: 940 },
		});
	let status: number | undefined;
	do {
		await page.waitForTimeout(500);
		status = (await page.goto(`${n8n.url}/webhook/form-in-a-page`))?.status();
	} while (status === 404);
	const form = page.frameLocator('iframe');
	await form.getByLabel('Full name').fill('Ada Lovelace');
	await form.getByLabel('Email').fill('ada@example.com');
	await form.getByLabel('Sales').check();
	await form.getByLabel('Message').fill('Do you print punched cards, too?');
	await page.evaluate('window.scrollTo(0, 0)');
	const filledIn = await page.screenshot();
	await form.getByRole('button', { name: 'Send' }).click();
	await form.getByText(/thank/i).first().waitFor();

	await editor.page.setViewportSize({ width: 1000, height: 940 });
	await editor.openWorkflow(exampleId(/new response/i));
	await editor.executeWorkflow();
	await editor.openNode('Message to Sales');
	await editor.closeToasts();
	const message = await editor.page.screenshot({ style: WITHOUT_EMPTY_TOOLTIPS });

	await page.setViewportSize({ width: 1320, height: 690 });
	await page.setContent(circle(filledIn, message));
	await page.screenshot({ path: join(paths.pictures, 'circle.png') });
	console.log('docs/pictures/circle.png');
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
			sandboxPort: await freePort(4000),
			log: console.log,
		});
		try {
			const editor = await Editor.signIn(browser, playground.n8n.url);
			await takePictures(playground, editor);
			await takeEmbedPictures(playground, browser);
			await takeCirclePicture(playground, editor);
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

main().catch((error: unknown) => {
	console.error(error);
	process.exit(1);
});
