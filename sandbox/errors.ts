import express, { Router } from 'express';

import type { Fault, Faults } from './faults';
import { html, type Html, page } from './html';
import type { Plan } from './records';
import { requestsPerHour, type Store } from './store';

const says = (message: string) => ({ error: { message } });
const SUBMIT = 'POST /responses';

/** What the service does until it is turned off, and what to expect in n8n */
const errors: [name: string, hint: string, fault: Fault][] = [
	['Refuses the API key', 'Status 401', { status: 401, body: says('This API key was revoked.') }],
	['Denies access', 'Status 403', { status: 403, body: says('Your role may not read this.') }],
	[
		'Has moved',
		'A redirect, which the node does not follow',
		{ status: 308, redirectTo: 'https://forms.example.com/v2/api' },
	],
	[
		'Replies with a web page',
		'As with a wrong Base URL',
		{ body: '<!doctype html><h1>Hi</h1>', headers: { 'Content-Type': 'text/html' } },
	],
	['Replies with other JSON', 'Without a list of forms or responses', { body: { data: [] } }],
	[
		'Does not know the form',
		'Status 404, also for the questions in the editor',
		{ contains: 'form_id', status: 404, body: says('There is no form with this id.') },
	],
	[
		'Refuses every response',
		'Status 422 for Create Response',
		{ route: SUBMIT, status: 422, body: says('email must be an email address.') },
	],
	[
		'Refuses the third response',
		'The others are stored: run an import, then run it again',
		{ route: SUBMIT, skip: 2, times: 1, status: 422 },
	],
	[
		'Does not confirm a response',
		'Create Response gets “success: false”',
		{ route: SUBMIT, body: { success: false, message: 'This form is closed.' } },
	],
	[
		'Stores a response, but does not say so',
		'The connection breaks after Create Response',
		{ route: SUBMIT, cut: 'connection', stored: true },
	],
	[
		'Asks for a wait of two seconds',
		'Once: the node waits and continues',
		{ times: 1, status: 429, headers: { 'Retry-After': '2' } },
	],
	['Does not say how long to wait', 'Status 429 without a time', { status: 429 }],
	['Fails once', 'The node tries again, except when it submits', { times: 1, status: 503 }],
	['Fails', 'Status 500', { status: 500, body: says('Something went wrong.') }],
	[
		'Is down for ten minutes',
		'Status 503, which says when to try again',
		{ status: 503, headers: { 'Retry-After': '600' } },
	],
	['Never replies', 'The node gives up after its Timeout, 30 seconds', { hang: true }],
	['Breaks the connection', 'It stores nothing', { cut: 'connection' }],
	['Sends half of its reply', 'The connection breaks in the middle', { cut: 'body' }],
];

/** The page on which you choose a plan, use up its limit, and turn errors on and off */
export function errorsRouter(store: Store, faults: Faults): Router {
	const router = Router();
	router.get('/', (_req, res) => void res.send(errorsPage(store, faults.list()[0])));
	router.post('/', express.urlencoded({ extended: false }), (req, res) => {
		const { plan, used, error } = (req.body ?? {}) as Record<string, string | undefined>;
		if (Object.hasOwn(requestsPerHour, plan ?? '')) store.settings.plan = plan as Plan;
		if (used === 'all') store.startHour(requestsPerHour[store.settings.plan]);
		if (used === 'none') store.startHour();
		if (error !== undefined) {
			faults.clear();
			const chosen = errors.find(([name]) => name === error);
			if (chosen) faults.add({ name: error, ...chosen[2] });
		}
		res.redirect(303, '/errors');
	});
	return router;
}

function errorsPage({ settings, window }: Store, active: Fault | undefined): string {
	const on = active && (active.name ?? 'A fault set by a script');
	const limit = requestsPerHour[settings.plan];
	const works = window.used < limit ? 'works as it should' : 'refuses requests until the next hour';
	const plans = Object.entries(requestsPerHour).map(([plan, perHour]) => {
		const hint = perHour === Infinity ? 'No limit' : `${perHour} requests an hour`;
		const name = plan.charAt(0).toUpperCase() + plan.slice(1);
		return choice('plan', plan, name, hint, plan === settings.plan);
	});
	const content = html`<h1>See every error message</h1>
		<p class="soft">
			Choose what the service does, then run a Form Collection node in n8n. Its error message says
			what happened and what to do.
		</p>
		<form method="post">
			<p class="state" role="status">
				${on === undefined
					? html`The service ${works}.`
					: html`On: ${on} <button name="error" value="">Turn off</button>`}
			</p>
			<h2>Plan</h2>
			<div class="choices">
				${plans} ${choice('used', 'all', 'Use up the limit', 'Each request gets status 429')}
				${choice('used', 'none', 'Start a new hour', 'All requests are left')}
			</div>
			<h2>What the service does</h2>
			<div class="choices">
				${errors.map(([name, hint]) => choice('error', name, name, hint, name === on))}
			</div>
		</form>`;
	return page('See every error message', content);
}

/** @param isOn of a choice that stays */
function choice(name: string, value: string, title: string, hint: string, isOn?: boolean): Html {
	return html`<button
		class="choice"
		name="${name}"
		value="${value}"
		${isOn !== undefined && html`aria-pressed="${String(isOn)}"`}
	>
		${title} <small>${hint}</small>
	</button>`;
}
