import { readFileSync } from 'node:fs';

import { sampleForms } from '../../sandbox/sampleForms';
import { sampleRecords } from '../../sandbox/samples';

it('are the same every time, and differ between the variants in ids and optional fields only', () => {
	const extended = sampleRecords('extended');
	const plain = sampleRecords('plain');

	expect(sampleRecords('extended')).toEqual(extended);
	expect(plain.responses.map(({ answers, created_at }) => ({ answers, created_at }))).toEqual(
		extended.responses.map(({ answers, created_at }) => ({ answers, created_at })),
	);
});

it('have unique ids, and no response older than its form', () => {
	const { forms, responses } = sampleRecords('extended');
	const madeAt = new Map(forms.map((form) => [form.id, form.created_at]));

	expect(new Set([...forms, ...responses].map(({ id }) => id)).size).toBe(
		forms.length + responses.length,
	);
	for (const response of responses) {
		expect(response.created_at > madeAt.get(response.form_id)!).toBe(true);
	}
});

it('show every column of the example contacts in past responses', () => {
	const { forms, responses } = sampleRecords('extended');
	const form = forms.find(({ slug }) => slug === 'contact-import')!;
	const keys = sampleForms.find(({ slug }) => slug === form.slug)!.questions.map(({ key }) => key);
	const seen = responses
		.filter((response) => response.form_id === form.id)
		.flatMap(({ answers }) => Object.keys(answers));
	const [header] = readFileSync(`${__dirname}/../../examples/contacts.csv`, 'utf8').split('\n');

	expect(header!.split(',')).toEqual(keys);
	expect(new Set(seen)).toEqual(new Set(keys));
});
