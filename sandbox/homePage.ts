import { titleOf } from './formPage';
import { html, page } from './html';
import type { SandboxForm } from './records';

/** Where n8n finds the service, and a person finds n8n. */
export interface Address {
	url: string;
	baseUrl: string;
	apiKey: string;
	n8nUrl: string | undefined;
}

export function homePage(
	forms: { form: SandboxForm; responses: number }[],
	{ url, baseUrl, apiKey, n8nUrl }: Address,
): string {
	const content = html`<h1>Form Collection sandbox</h1>
		<p class="soft">
			A practice service on this computer, with made-up people and answers. It forgets what you send
			when it stops.
		</p>
		<dl class="address">
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
			${forms.map(
				({ form, responses }) =>
					html`<li>
						<span>
							<a href="/forms/${encodeURIComponent(form.slug)}">${titleOf(form)}</a>
							<small>${form.slug}</small>
						</span>
						<span class="count">${responses} ${responses === 1 ? 'response' : 'responses'}</span>
					</li>`,
			)}
		</ul>`;
	return page('Form Collection sandbox', content, {
		footer: html`For demos and tests; not part of the real service`,
	});
}
