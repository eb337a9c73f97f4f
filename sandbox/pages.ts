import express, { type Request, type RequestHandler, Router } from 'express';
import { join } from 'node:path';

import { formPage, missingIn, notFoundPage, thanksPage, titleOf } from './formPage';
import { type Frame, html, page } from './html';
import type { Answer, Question, SandboxForm } from './records';
import { sampleForms } from './sampleForms';
import type { Store } from './store';

/** Where n8n finds the service, and you find n8n. */
interface Address {
	url: string;
	baseUrl: string;
	apiKey: string;
	n8nUrl: string | undefined;
}

/** The pages on which people fill the forms in. The API knows nothing of them. */
export function pagesRouter(store: Store, address: Address): Router {
	const router = Router();
	const withForm =
		(handle: (form: SandboxForm, ...args: Parameters<RequestHandler>) => void): RequestHandler =>
		(req, res, next) => {
			const form = store.forms.find(({ slug }) => slug === req.params.slug);
			if (form) handle(form, req, res, next);
			else next();
		};

	router.get('/embed.js', (_req, res) => res.sendFile(join(__dirname, 'embed.js')));
	router.get('/', (_req, res) => void res.send(homePage(store, address)));
	router.get(
		'/forms/:slug',
		withForm((form, req, res) => {
			const { intro, questions } = definitionOf(form);
			res.send(formPage(form, intro, questions, frameOf(req)));
		}),
	);
	router.post(
		'/forms/:slug',
		express.text({ type: 'application/x-www-form-urlencoded', limit: '1mb' }),
		withForm((form, req, res) => {
			const { intro, questions } = definitionOf(form);
			const answers = readAnswers(questions, typeof req.body === 'string' ? req.body : '');
			if (missingIn(answers, questions).length > 0) {
				res.status(422).send(formPage(form, intro, questions, frameOf(req), answers));
				return;
			}
			store.addResponse(form.id, answers);
			res.status(201).send(thanksPage(form, answers, frameOf(req)));
		}),
	);
	router.use((req, res) => void res.status(404).send(notFoundPage(frameOf(req))));
	return router;
}

function homePage({ forms, responses }: Store, { url, baseUrl, apiKey, n8nUrl }: Address): string {
	const content = html`<h1>Form Collection sandbox</h1>
		<p class="soft">
			A practice service on this computer, with made-up people and answers. It forgets what you send
			when it stops.
		</p>
		<dl>
			<dt>Base URL</dt>
			<dd>${baseUrl}</dd>
			<dt>API Key</dt>
			<dd>${apiKey}</dd>
			<dt>Embed URL</dt>
			<dd>${url}</dd>
		</dl>
		<p class="soft">Enter these values in the Form Collection API credential in n8n.</p>
		<p class="links">
			${n8nUrl !== undefined && html`<a href="${n8nUrl}">Open n8n</a>`}
			<a href="/errors">See every error message</a>
		</p>
		<h2>Forms</h2>
		<p class="soft">
			Fill in a form: your answers become a response that n8n can read a moment later.
		</p>
		<ul class="forms">
			${forms.map((form) => {
				const count = responses.filter(({ form_id }) => form_id === form.id).length;
				return html`<li>
					<a href="/forms/${encodeURIComponent(form.slug)}">${titleOf(form)}</a>
					<small>${form.slug}, ${count} ${count === 1 ? 'response' : 'responses'}</small>
				</li>`;
			})}
		</ul>`;
	return page('Form Collection sandbox', content);
}

/** The embed script asks for a page that fits into a frame, and into the light or dark around it. */
function frameOf({ query: { embedded } }: Request): Frame | undefined {
	if (embedded === undefined) return undefined;
	return { scheme: embedded === 'light' || embedded === 'dark' ? embedded : undefined };
}

/** The API tells no questions, so a form that is no sample has none here. */
function definitionOf({ slug }: SandboxForm): { intro: string; questions: Question[] } {
	return sampleForms.find((sample) => sample.slug === slug) ?? { intro: '', questions: [] };
}

function readAnswers(questions: Question[], body: string): Record<string, Answer> {
	const sent = new URLSearchParams(body);
	const answers = questions.map(({ key, kind }): [string, Answer] => {
		// Browsers send line breaks as CRLF; people expect what they typed.
		const values = sent.getAll(key).map((value) => value.replace(/\r\n/g, '\n'));
		return [key, kind === 'checkbox' ? values : (values[0] ?? '').trim()];
	});
	return Object.fromEntries(answers.filter(([, answer]) => answer.length > 0));
}
