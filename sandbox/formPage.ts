import { type Frame, html, type Html, page } from './html';
import type { Answer, Question, SandboxForm } from './records';

type Answers = Record<string, Answer>;

/** @param answers what was filled in before, of which something is missing */
export function formPage(
	form: SandboxForm,
	intro: string,
	questions: Question[],
	frame: Frame | undefined,
	answers?: Answers,
): string {
	const content = html`<h1>${titleOf(form)}</h1>
		<p class="soft">${intro}</p>
		${answers &&
		html`<p class="notice" role="alert">
			Please answer:
			${missingIn(answers, questions)
				.map(({ label }) => label)
				.join(', ')}
		</p>`}
		<form method="post">
			${questions.map((question) => questionField(question, answerIn(answers, question.key)))}
			${questions.length > 0
				? html`<button>Send</button>`
				: html`<p class="soft">This form has no questions yet.</p>`}
		</form>`;
	return page(titleOf(form), content, frame);
}

export function thanksPage(form: SandboxForm, answers: Answers, frame: Frame | undefined): string {
	const name = answerIn(answers, 'full_name');
	const content = html`<h1>Thank you${typeof name === 'string' && `, ${name}`}!</h1>
		<p>Your answers to “${titleOf(form)}” have arrived.</p>
		<p><a href="">Fill in the form again</a></p>`;
	return page('Thank you', content, frame);
}

/** In a frame, somebody has embedded a form under another slug than its own. */
export function notFoundPage(frame: Frame | undefined): string {
	const title = frame ? 'No such form' : 'No such page';
	const reason = frame && html`<p>No form has the slug in the embed code of this page.</p>`;
	return page(
		title,
		html`<h1>${title}</h1>
			${reason}`,
		frame,
	);
}

export function titleOf(form: SandboxForm): string {
	return form.title || form.slug;
}

export function missingIn(answers: Answers, questions: Question[]): Question[] {
	return questions.filter(({ key, required }) => required && !Object.hasOwn(answers, key));
}

function answerIn(answers: Answers | undefined, key: string): Answer | undefined {
	return answers && Object.hasOwn(answers, key) ? answers[key] : undefined;
}

function questionField(question: Question, answer: Answer = ''): Html {
	const { key, kind, label, hint, required } = question;
	const marked = html`${label} ${!required && html`<small>(optional)</small>`}
	${hint && html`<small>${hint}</small>`}`;
	if (kind === 'radio' || kind === 'checkbox') {
		return html`<fieldset class="question">
			<legend>${marked}</legend>
			${optionList(question, [answer].flat())}
		</fieldset>`;
	}
	return html`<div class="question">
		<label for="${key}">${marked}</label>
		${field(question, typeof answer === 'string' ? answer : '')}
	</div>`;
}

function field({ key, kind, options = [], required }: Question, text: string): Html {
	const attributes = html`class="field" id="${key}" name="${key}" ${required && html`required`}`;
	// The first line break inside a textarea is dropped by browsers.
	if (kind === 'textarea') return html`<textarea ${attributes}>${'\n'}${text}</textarea>`;
	if (kind !== 'select') return html`<input type="${kind}" value="${text}" ${attributes} />`;
	return html`<select ${attributes}>
		<option value="">Please choose</option>
		${options.map(
			(option) => html`<option ${option === text && html`selected`}>${option}</option>`,
		)}
	</select>`;
}

function optionList({ key, kind, options = [], required }: Question, chosen: string[]): Html {
	return html`<div class="options">
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
