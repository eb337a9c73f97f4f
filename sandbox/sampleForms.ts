import type { Question } from './records';

export interface SampleForm {
	title: string;
	slug: string;
	intro: string;
	questions: SampleQuestion[];
	/** How many responses it has. */
	responses: number;
	/** How long ago it was made, in days before the end of the sample data. */
	ageInDays: number;
}

export interface SampleQuestion extends Question {
	/** What people wrote, for questions without options. */
	examples?: string[];
}

const fullName: SampleQuestion = {
	key: 'full_name',
	label: 'Full name',
	kind: 'text',
	required: true,
};
const email: SampleQuestion = { key: 'email', label: 'Email', kind: 'email', required: true };
const company: SampleQuestion = { key: 'company', label: 'Company', kind: 'text' };
const rating: SampleQuestion = {
	key: 'rating',
	label: 'How satisfied are you?',
	kind: 'radio',
	options: ['5', '4', '3', '2', '1'],
	hint: '5 is very satisfied, 1 is not at all.',
	required: true,
};

export const sampleForms: SampleForm[] = [
	{
		title: 'Contact us',
		slug: 'contact-us',
		intro: 'Tell us what you need. We answer within two working days.',
		responses: 42,
		ageInDays: 90,
		questions: [
			fullName,
			email,
			company,
			{
				key: 'topics',
				label: 'What is it about?',
				kind: 'checkbox',
				options: ['Sales', 'Support', 'Billing', 'Partnership', 'Press'],
			},
			{
				key: 'message',
				label: 'Message',
				kind: 'textarea',
				required: true,
				examples: [
					'Could you send me a quote for 25 seats, billed yearly?',
					'Our invoice from last month shows the wrong VAT number. Who can correct it?',
					'We would like to resell your product in Northern Europe.',
					'The export has been empty since Tuesday. Is this a known problem?',
					'I am writing an article about small software companies and have three questions.',
					'Do you offer a discount for schools and non-profit organisations?',
					'Please call me back, mornings are best.\nThank you!',
					'Is it possible to move our account to another owner?',
					'Grüße aus Köln – wann kommt die deutsche Übersetzung? 😊',
					'We met at the fair in Lyon; you asked me to write about the pilot project.',
				],
			},
		],
	},
	{
		title: 'Newsletter sign-up',
		slug: 'newsletter',
		intro: 'One letter a month, and you can leave at any time.',
		responses: 60,
		ageInDays: 200,
		questions: [
			email,
			{ ...fullName, required: false },
			{
				key: 'interests',
				label: 'What would you like to read about?',
				kind: 'checkbox',
				options: ['Product news', 'Tutorials', 'Events', 'Customer stories'],
				required: true,
			},
			{
				key: 'language',
				label: 'Language',
				kind: 'select',
				options: ['English', 'Deutsch', 'Español', 'Français', 'Ελληνικά'],
				required: true,
			},
		],
	},
	{
		title: 'Job application',
		slug: 'job-application',
		intro: 'We read every application ourselves and reply to each one.',
		responses: 18,
		ageInDays: 45,
		questions: [
			fullName,
			email,
			{
				key: 'phone',
				label: 'Phone',
				kind: 'tel',
				examples: ['+49 30 5550142', '+33 1 55 50 01 42', '+1 202 555 0142', '+81 3 5550 0142'],
			},
			{
				key: 'position',
				label: 'Position',
				kind: 'select',
				options: ['Backend developer', 'Product designer', 'Support engineer', 'Office manager'],
				required: true,
			},
			{
				key: 'skills',
				label: 'Skills',
				kind: 'checkbox',
				options: ['TypeScript', 'PostgreSQL', 'Figma', 'Technical writing', 'Public speaking'],
			},
			{
				key: 'start_date',
				label: 'Earliest start',
				kind: 'date',
				required: true,
				examples: ['2026-12-01', '2027-01-01', '2027-01-15', '2027-02-01', '2027-04-01'],
			},
			{
				key: 'portfolio_url',
				label: 'Portfolio',
				kind: 'url',
				examples: [
					'https://portfolio.example.com/work',
					'https://example.org/~projects',
					'https://example.com/cv?lang=en',
				],
			},
			{
				key: 'cover_letter',
				label: 'Why would you like to work with us?',
				kind: 'textarea',
				required: true,
				examples: [
					'I have used your product for two years and have opinions about it.',
					'I enjoy small teams where everybody talks to customers.',
					'After eight years in agencies I want to look after one product, properly.',
					'Your job advert was the first one that made me laugh. I also know SQL.',
					'Ich suche eine Stelle in Teilzeit (80 %), gerne remote.',
				],
			},
		],
	},
	{
		title: 'Customer satisfaction survey',
		slug: 'satisfaction-survey',
		intro: 'Four questions, one minute. Thank you for helping us get better.',
		responses: 57,
		ageInDays: 60,
		questions: [
			rating,
			{
				key: 'liked',
				label: 'What do you like?',
				kind: 'checkbox',
				options: ['Easy to use', 'Fast', 'Good value', 'Friendly support'],
			},
			{
				key: 'improvement',
				label: 'What should we improve?',
				kind: 'textarea',
				examples: [
					'A dark mode, please.',
					'The mobile version could show more than five rows.',
					'Nothing comes to mind.',
					'More examples in the documentation.',
					'Exporting to a spreadsheet takes one click too many.',
					'Opening hours of the support at weekends.',
				],
			},
			{ ...email, required: false, hint: 'Only if we may ask you back.' },
		],
	},
	{
		title: 'Event registration',
		slug: 'event-registration',
		intro: 'Autumn meeting, 4 December 2026. Seats are limited.',
		responses: 35,
		ageInDays: 40,
		questions: [
			fullName,
			email,
			company,
			{
				key: 'sessions',
				label: 'Sessions',
				kind: 'checkbox',
				options: ['Opening talk', 'Workshop: automation', 'Workshop: data', 'Evening dinner'],
				required: true,
			},
			{
				key: 'diet',
				label: 'Food',
				kind: 'radio',
				options: ['Everything', 'Vegetarian', 'Vegan', 'Gluten-free'],
				required: true,
			},
			{
				key: 'remarks',
				label: 'Anything else?',
				kind: 'text',
				examples: ['I need step-free access.', 'Arriving late, around 11:00.', 'Nut allergy'],
			},
		],
	},
	{
		title: 'Customer feedback',
		slug: 'customer-feedback-shop',
		intro: 'How was your order?',
		responses: 24,
		ageInDays: 120,
		questions: [
			{
				key: 'order_number',
				label: 'Order number',
				kind: 'text',
				examples: ['A-10482', 'A-10511', 'A-10533', 'A-10570', 'A-10586', 'A-10602'],
			},
			rating,
			{
				key: 'comment',
				label: 'Comment',
				kind: 'textarea',
				examples: [
					'The box was larger than it needed to be.',
					'It arrived a day early.',
					'Colour differs a little from the picture.',
					'My neighbour ordered one as well.',
				],
			},
		],
	},
	{
		title: 'Customer feedback',
		slug: 'customer-feedback-support',
		intro: 'How did our support do?',
		responses: 12,
		ageInDays: 30,
		questions: [
			{
				key: 'solved',
				label: 'Was your problem solved?',
				kind: 'radio',
				options: ['Yes', 'Partly', 'No'],
				required: true,
			},
			rating,
			{
				key: 'comment',
				label: 'Comment',
				kind: 'textarea',
				examples: [
					'I got an answer after twenty minutes.',
					'The first reply was a link to the manual, the second one helped.',
					'¡Muchas gracias, Lucía!',
				],
			},
		],
	},
	{
		title: 'Contact import',
		slug: 'contact-import',
		intro: 'Contacts from other sources end up here, one response each.',
		responses: 3,
		ageInDays: 14,
		questions: [
			fullName,
			email,
			company,
			{
				key: 'country',
				label: 'Country',
				kind: 'text',
				examples: ['Portugal', 'Japan', 'Germany'],
				required: true,
			},
			{
				key: 'interests',
				label: 'Interests',
				kind: 'checkbox',
				options: ['Product updates', 'Events', 'Training', 'Partnership', 'Research'],
				required: true,
			},
			{
				key: 'message',
				label: 'Message',
				kind: 'textarea',
				required: true,
				examples: ['Met at the spring fair.', 'Asked for a demo.', 'Please send the price list.'],
			},
		],
	},
	{
		title: 'Untitled form',
		slug: 'untitled-form',
		intro: '',
		responses: 0,
		ageInDays: 1,
		questions: [{ key: 'question_1', label: 'Question 1', kind: 'text' }],
	},
];
