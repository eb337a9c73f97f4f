import type { Question } from './records';

interface SampleForm {
	title: string;
	slug: string;
	intro: string;
	/** How many responses it has */
	responses: number;
	questions: SampleQuestion[];
}

export interface SampleQuestion extends Question {
	/** What people wrote, for questions without options */
	examples: string[];
}

type Asked = [kind: Question['kind'], key: string, label: string, texts?: string];

/** @param texts the options, or what people wrote, with bars between them */
function required(...[kind, key, label, texts = '']: Asked): SampleQuestion {
	const list = texts.split('|').map((text) => text.trim());
	const hasOptions = ['select', 'radio', 'checkbox'].includes(kind);
	return { key, label, kind, required: true, options: hasOptions ? list : [], examples: list };
}

const optional = (...asked: Asked) => ({ ...required(...asked), required: false });

const fullName = required('text', 'full_name', 'Full name');
const email = required('email', 'email', 'Email');
const companies = 'Café Lumière | Baobab Analytics | Müller & Söhne | Oak, Ash & Partners';
const company = required('text', 'company', 'Company', companies);
const rating = {
	...required('radio', 'rating', 'How satisfied are you?', '5 | 4 | 3 | 2 | 1'),
	hint: '5 is very satisfied, 1 is not at all.',
};
const comments = 'It arrived a day early. | ¡Muchas gracias, Lucía! | My neighbour wants one, too.';
const comment = optional('textarea', 'comment', 'Comment', comments);

const topics = 'Sales | Support | Billing | Partnership | Press';
const messages = `Could you send me a quote for 25 seats, billed yearly?
	| Our invoice from last month shows the wrong VAT number. Who can correct it?
	| We would like to resell your product in Northern Europe.
	| Please call me back, mornings are best.\nThank you!
	| Grüße aus Köln – wann kommt die deutsche Übersetzung? 😊`;
const subjects = 'Product news | Tutorials | Events | Customer stories';
const letters = `I have used your product for two years and have opinions about it.
	| After eight years in agencies I want to look after one product, properly.
	| Ich suche eine Stelle in Teilzeit (80 %), gerne remote.`;
const improvements = `A dark mode, please. | More examples in the documentation.
	| Exporting to a spreadsheet takes one click too many.`;

/** In this order: examples/ and tests hold ids that follow from it, and from the counts of responses. */
export const sampleForms: SampleForm[] = [
	{
		title: 'Contact us',
		slug: 'contact-us',
		intro: 'Tell us what you need. We answer within two working days.',
		responses: 42,
		questions: [
			fullName,
			email,
			{ ...company, required: false },
			optional('checkbox', 'topics', 'What is it about?', topics),
			required('textarea', 'message', 'Message', messages),
		],
	},
	{
		title: 'Newsletter sign-up',
		slug: 'newsletter',
		intro: 'One letter a month, and you can leave at any time.',
		responses: 60,
		questions: [
			email,
			{ ...fullName, required: false },
			required('checkbox', 'interests', 'What would you like to read about?', subjects),
			required('select', 'language', 'Language', 'English | Deutsch | Español | Ελληνικά'),
		],
	},
	{
		title: 'Job application',
		slug: 'job-application',
		intro: 'We read every application ourselves and reply to each one.',
		responses: 18,
		questions: [
			fullName,
			email,
			optional('tel', 'phone', 'Phone', '+49 30 5550142 | +33 1 55 50 01 42 | +1 202 555 0142'),
			required('select', 'position', 'Position', 'Developer | Designer | Support engineer'),
			optional('checkbox', 'skills', 'Skills', 'TypeScript | PostgreSQL | Figma | Writing'),
			required('date', 'start_date', 'Earliest start', '2026-12-01 | 2027-01-15 | 2027-04-01'),
			optional('url', 'portfolio_url', 'Portfolio', 'https://example.com/cv?lang=en'),
			required('textarea', 'cover_letter', 'Why would you like to work with us?', letters),
		],
	},
	{
		title: 'Customer satisfaction survey',
		slug: 'satisfaction-survey',
		intro: 'Four questions, one minute. Thank you for helping us get better.',
		responses: 57,
		questions: [
			rating,
			optional('checkbox', 'liked', 'What do you like?', 'Easy to use | Fast | Good value'),
			optional('textarea', 'improvement', 'What should we improve?', improvements),
			{ ...email, required: false, hint: 'Only if we may ask you back.' },
		],
	},
	{
		title: 'Event registration',
		slug: 'event-registration',
		intro: 'Autumn meeting, 4 December 2026. Seats are limited.',
		responses: 35,
		questions: [
			fullName,
			email,
			{ ...company, required: false },
			required('checkbox', 'sessions', 'Sessions', 'Opening talk | Workshop | Evening dinner'),
			required('radio', 'diet', 'Food', 'Everything | Vegetarian | Vegan | Gluten-free'),
			optional('text', 'remarks', 'Anything else?', 'I need step-free access. | Nut allergy'),
		],
	},
	{
		title: 'Customer feedback',
		slug: 'customer-feedback-shop',
		intro: 'How was your order?',
		responses: 24,
		questions: [rating, comment],
	},
	{
		title: 'Customer feedback',
		slug: 'customer-feedback-support',
		intro: 'How did our support do?',
		responses: 12,
		questions: [rating, comment],
	},
	{
		title: 'Contact import',
		slug: 'contact-import',
		intro: 'Contacts from other sources end up here, one response each.',
		responses: 3,
		questions: [
			fullName,
			email,
			company,
			required('text', 'country', 'Country', 'Portugal | Japan | Germany'),
			required('checkbox', 'interests', 'Interests', 'Product updates | Events | Training'),
			required('textarea', 'message', 'Message', 'Asked for a demo. | Please send the price list.'),
		],
	},
	{
		title: 'Untitled form',
		slug: 'untitled-form',
		intro: '',
		responses: 0,
		questions: [optional('text', 'question_1', 'Question 1')],
	},
];
