import express, { type Request, type RequestHandler, Router } from 'express';
import { join } from 'node:path';

import { formPage, notFoundPage, thanksPage } from './formPage';
import { type Address, homePage } from './homePage';
import type { Frame } from './html';
import type { Answer, Question, SandboxForm, SandboxResponse } from './records';
import { sampleForms } from './sampleForms';
import type { Store } from './store';

const embedScript = join(__dirname, 'embed.js');

/** The embed script asks for a page that fits into a frame, and into the light or dark around it. */
function frameOf({ query: { embedded } }: Request): Frame | undefined {
	if (embedded === undefined) return undefined;
	return { scheme: embedded === 'light' || embedded === 'dark' ? embedded : undefined };
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

	router.get('/embed.js', (_req, res) => res.sendFile(embedScript));

	router.get('/', (_req, res) => {
		const counts = new Map<string, number>();
		for (const { form_id: id } of store.responses) counts.set(id, (counts.get(id) ?? 0) + 1);
		const forms = store.forms.map((form) => ({ form, responses: counts.get(form.id) ?? 0 }));
		res.send(homePage(forms, address));
	});

	router.get(
		'/forms/:slug',
		withForm((form, req, res) => {
			const { intro, questions } = definitionOf(form, store.responses);
			res.send(formPage(form, intro, questions, frameOf(req)));
		}),
	);

	router.post(
		'/forms/:slug',
		express.text({ type: 'application/x-www-form-urlencoded', limit: '1mb' }),
		withForm((form, req, res) => {
			const { intro, questions } = definitionOf(form, store.responses);
			const answers = readAnswers(questions, typeof req.body === 'string' ? req.body : '');
			const missing = questions.filter(
				({ key, required }) => required && !Object.hasOwn(answers, key),
			);
			if (missing.length > 0) {
				res.status(422).send(formPage(form, intro, questions, frameOf(req), { answers, missing }));
				return;
			}
			store.addResponse(form.id, answers);
			res.status(201).send(thanksPage(form, answers, frameOf(req)));
		}),
	);

	router.use((req, res) => void res.status(404).send(notFoundPage(frameOf(req))));
	return router;
}

function definitionOf(form: SandboxForm, responses: SandboxResponse[]) {
	const sample = sampleForms.find(({ slug }) => slug === form.slug);
	if (sample) return { intro: sample.intro, questions: sample.questions as Question[] };
	return { intro: undefined, questions: questionsSeen(form, responses) };
}

/** For a form that a test has added: what was answered before can be asked again. */
function questionsSeen(form: SandboxForm, responses: SandboxResponse[]): Question[] {
	const questions = new Map<string, Question>();
	for (const { form_id: formId, answers } of responses) {
		if (formId !== form.id) continue;
		for (const [key, answer] of Object.entries(answers ?? {})) {
			const question: Question = questions.get(key) ?? { key, label: key, kind: 'text' };
			if (Array.isArray(answer)) {
				question.kind = 'checkbox';
				question.options = [...new Set([...(question.options ?? []), ...answer.map(String)])];
			}
			questions.set(key, question);
		}
	}
	return [...questions.values()];
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
