import { requestsPerHour } from './choices';
import type { Fault } from './faults';
import { errorsToTry } from './errorsToTry';
import { html, type Html, page } from './html';
import type { Plan } from './records';

/** What the page shows as it is now. */
export interface ErrorsState {
	plan: Plan;
	/** Requests counted in this hour */
	used: number;
	/** When the hour is over */
	nextHour: Date | undefined;
	faults: Fault[];
	/** The API root */
	baseUrl: string;
	n8nUrl: string | undefined;
}

const footer = html`<a href="/">Home of this sandbox</a>`;

export function errorsPage(state: ErrorsState): string {
	const { faults, baseUrl, n8nUrl } = state;
	const on = faults.length === 0 ? undefined : (faults[0]!.name ?? 'Faults set by a script');
	const n8n = n8nUrl === undefined ? html`n8n` : html`<a href="${n8nUrl}">n8n</a>`;
	const content = html`<h1>See every error message</h1>
		<p class="soft">
			Choose what the service does, then run a Form Collection node in ${n8n}. Its error message
			says what happened and what to do.
		</p>
		<form method="post" class="switches">
			<p class="state" role="status">
				${on === undefined
					? html`<span
							>The service
							${isUsedUp(state)
								? 'refuses requests until the next hour'
								: 'works as it should'}.</span
						>`
					: html`<span>On: <strong>${on}</strong></span>
							<button name="error" value="">Turn off</button>`}
			</p>
			<h2>Plan</h2>
			<p class="soft">${usage(state)}</p>
			<div class="choices">${planButtons(state)}</div>
			${limitButtons(state)}
			${Object.entries(errorsToTry).map(
				([heading, errors]) =>
					html`<h2>${heading}</h2>
						<div class="choices">
							${errors.map(({ name, hint }) => choice('error', name, name, hint, name === on))}
						</div>`,
			)}
		</form>
		<h2>Errors from a wrong Base URL</h2>
		<p class="soft">In the credential, change the Base URL from ${baseUrl} to:</p>
		<ul>
			<li>${baseUrl.replace(/\d+\/api$/, '1/api')}, where no service is running</li>
			<li>
				${baseUrl.replace('http:', 'https:')}, a secure connection, which the service does not offer
			</li>
			<li>${baseUrl.replace(/\/api$/, '')}, without /api at the end</li>
		</ul>`;
	return page('See every error message', content, { footer, isWide: true });
}

const isUsedUp = ({ plan, used }: ErrorsState) => used >= requestsPerHour[plan];

function usage({ plan, used, nextHour }: ErrorsState): Html {
	const limit = requestsPerHour[plan];
	if (limit === Infinity)
		return html`The Enterprise plan has no limit: select Free or Pro to use one up.`;
	const numbers = [used, limit].map((number) => number.toLocaleString('en-US'));
	const end = nextHour && `, which ends at ${nextHour.toUTCString().slice(17, 22)} UTC`;
	return html`${numbers.join(' of ')} requests are used this hour${end}.`;
}

function planButtons({ plan }: ErrorsState): Html[] {
	return Object.entries(requestsPerHour).map(([name, limit]) => {
		const title = name.charAt(0).toUpperCase() + name.slice(1);
		const hint =
			limit === Infinity ? 'No limit' : `${limit.toLocaleString('en-US')} requests an hour`;
		return choice('plan', name, title, hint, name === plan);
	});
}

function limitButtons({ plan }: ErrorsState): Html | false {
	return (
		requestsPerHour[plan] !== Infinity &&
		html`<div class="choices">
			${[
				choice('used', 'all', 'Use up the limit', 'Each request gets status 429'),
				choice('used', 'none', 'Start a new hour', 'All requests are left'),
			]}
		</div>`
	);
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
