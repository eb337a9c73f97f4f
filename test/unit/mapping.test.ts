import { matchFields } from '../../nodes/FormCollection/actions/createResponse/mapping';

type Fields = Record<string, unknown>;

it.each<[string, string[], Fields, Fields]>([
	['exactly', ['name', 'age'], { name: 'Ada', age: 36 }, { name: 'Ada', age: 36 }],
	['whatever the case', ['name'], { NAME: 'a' }, { name: 'a' }],
	[
		'with spaces, underscores or hyphens',
		['full_name'],
		{ ' Full - Name ': 'a' },
		{ full_name: 'a' },
	],
	['without them', ['e-mail'], { email: 'e' }, { 'e-mail': 'e' }],
	['after the byte order mark of a CSV file', ['email'], { '\uFEFFemail': 'e' }, { email: 'e' }],
	[
		'with accents written another way',
		['prénom'],
		{ ['prénom'.normalize('NFD')]: 'p' },
		{ prénom: 'p' },
	],
	[
		'exactly, before a similar one',
		['email'],
		{ ' email': 'no', email: 'e', Email: 'no' },
		{ email: 'e' },
	],
	['as Flatten Answers named it', ['created_at'], { answer_created_at: 'a' }, { created_at: 'a' }],
	[
		'as Flatten Answers named it, before its own name',
		['id'],
		{ id: 'r1', answer_id: '8' },
		{ id: '8' },
	],
	[
		'exactly, where another question has that name',
		['note', 'answer_note'],
		{ note: 'n', answer_note: 'a' },
		{ note: 'n', answer_note: 'a' },
	],
	[
		'similarly, unless the field is another question',
		['Note', 'note'],
		{ note: 'n' },
		{ note: 'n' },
	],
	['by the first of several similar ones', ['a b'], { 'a-b': 1, a_b: 2 }, { 'a b': 1 }],
	['also if every object has such a member', ['constructor'], {}, {}],
])('an answer is found %s', (_, questions, item, answers) => {
	const found = matchFields(item as never, new Set(questions));

	expect(found.answers).toEqual(Object.entries(answers));
});

it.each<[string, Fields, string[]]>([
	['with a value', { company: 'x', zero: 0, no: false }, ['company', 'zero', 'no']],
	['similar to one that was found', { email: 'e', 'E-Mail': 'x' }, ['E-Mail']],
	['but empty ones', { a: '', b: null, c: undefined, d: [], e: [''] }, []],
	[
		'but those of a table',
		{ id: 'r', form_id: 'f', answers: {}, created_at: 't', pixel_fired: true, row_number: 2 },
		[],
	],
])('other fields are all that match no question, %s', (_, item, others) => {
	const found = matchFields(item as never, new Set(['email']));

	expect(found.others.map(([name]) => name)).toEqual(others);
});
