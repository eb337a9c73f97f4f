import { type Frame, html, type Html, page } from './html';
import type { Answer, Question, SandboxForm } from './records';

export interface FilledIn {
	answers: Record<string, Answer>;
	missing: Question[];
}

const footer = html`<a href="/">Home of this sandbox</a>`;

export function formPage(
	form: SandboxForm,
	intro: string | undefined,
	questions: Question[],
	frame: Frame | undefined,
	before?: FilledIn,
): string {
	const content = html`<h1>${titleOf(form)}</h1>
		${intro ? html`<p class="soft">${intro}</p>` : undefined}
		${before &&
		html`<p class="notice" role="alert">
			Please answer: ${before.missing.map(({ label }) => label).join(', ')}
		</p>`}
		<form method="post">
			${questions.map((question) => questionField(question, answerIn(before, question.key)))}
			${questions.length > 0
				? html`<button>Send</button>`
				: html`<p class="soft">This form has no questions yet.</p>`}
		</form>`;
	return page(titleOf(form), content, { footer, frame });
}

export function thanksPage(
	form: SandboxForm,
	answers: Record<string, Answer>,
	frame: Frame | undefined,
): string {
	const name = answerIn({ answers, missing: [] }, 'full_name');
	const content = html`<h1>Thank you${typeof name === 'string' && `, ${name}`}!</h1>
		<p>Your answers to “${titleOf(form)}” have arrived.</p>
		<p><a href="">Fill in the form again</a></p>`;
	return page('Thank you', content, { footer, frame });
}

/** In a frame, somebody has embedded a form under another slug than its own. */
export function notFoundPage(frame: Frame | undefined): string {
	const title = frame ? 'No such form' : 'No such page';
	const content = html`<h1>${title}</h1>
		<p>
			${frame
				? 'No form has the slug in the embed code of this page.'
				: html`<a href="/">Home of this sandbox</a>`}
		</p>`;
	return page(title, content, { footer: html`Form Collection sandbox`, frame });
}

export function titleOf(form: SandboxForm): string {
	return form.title || form.slug;
}

function answerIn(filledIn: FilledIn | undefined, key: string): Answer | undefined {
	if (!filledIn || !Object.hasOwn(filledIn.answers, key)) return undefined;
	return filledIn.answers[key];
}

function questionField(question: Question, answer?: Answer): Html {
	const { key, kind, label, hint, required } = question;
	const marked = html`${label} ${!required && html`<span class="optional">(optional)</span>`}`;
	const described = hint && html`<p class="hint" id="hint-${key}">${hint}</p>`;
	const describes = hint && html`aria-describedby="hint-${key}"`;

	if (kind === 'radio' || kind === 'checkbox') {
		return html`<fieldset class="question" ${describes}>
			<legend>${marked}</legend>
			${described} ${optionList(question, [answer ?? []].flat())}
		</fieldset>`;
	}
	const attributes = html`class="field" id="${key}" name="${key}" ${required && html`required`}
	${describes}`;
	const text = typeof answer === 'string' ? answer : '';
	return html`<div class="question">
		<label for="${key}">${marked}</label>
		${described} ${field(question, attributes, text)}
	</div>`;
}

function field({ key, kind, options = [] }: Question, attributes: Html, text: string): Html {
	// The first line break inside a textarea is dropped by browsers.
	if (kind === 'textarea') return html`<textarea ${attributes}>${'\n'}${text}</textarea>`;
	if (kind === 'select') {
		return html`<select ${attributes}>
			<option value="">Please choose</option>
			${options.map(
				(option) => html`<option ${option === text && html`selected`}>${option}</option>`,
			)}
		</select>`;
	}
	const autocomplete = { full_name: 'name', email: 'email', phone: 'tel', company: 'organization' };
	const known = Object.entries(autocomplete).find(([name]) => name === key)?.[1];
	return html`<input
		type="${kind}"
		value="${text}"
		${known && html`autocomplete="${known}"`}
		${attributes}
	/>`;
}

function optionList({ key, kind, options = [], required }: Question, chosen: string[]): Html {
	const short = options.every((option) => option.length < 4);
	return html`<div class="options${short && ' short'}">
		${options.map(
			(option) =>
				html`<label class="option">
					<input
						type="${kind}"
						name="${key}"
						value="${option}"
						${chosen.includes(option) && html`checked`}
						${kind === 'radio' && required && html`required`}
					/>
					${option}
				</label>`,
		)}
	</div>`;
}
