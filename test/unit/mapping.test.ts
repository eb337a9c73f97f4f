import {
	knownQuestions,
	matchFields,
} from '../../nodes/FormCollection/actions/createResponse/mapping';

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
	['by letters that are the same', ['Maße'], { MASSE: 'a' }, {}],
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

const ofF = { id: 'a', formId: 'f' };
const many = { id: 'b', formId: 'f', multipleChoice: true };
const ofG = { id: 'c', formId: 'g' };
const fromList = { __rl: true, mode: 'list', value: 'f' };
it.each<[string, unknown, unknown, string[], string[]]>([
	['those of the form', fromList, [ofF, many], ['a', 'b'], ['b']],
	['those of the form that an expression gives', '={{ $json.form }}', [ofF, ofG], ['a'], []],
	['none of another form that an expression gives', '={{ $json.form }}', [ofG], [], []],
	['those of a workflow that names no form with them', 'f', [{ id: 'a' }], ['a'], []],
	['none of these where an expression gives the form', '={{ $json.form }}', [{ id: 'a' }], [], []],
	['none where none are saved', 'f', [], [], []],
	['none in what is no list', 'f', 'odd', [], []],
	['none in what is no row', 'f', [null, {}, { id: 7 }], [], []],
])('the questions known of a form are %s', (_, formId, schema, keys, multipleChoice) => {
	const known = knownQuestions(
		{ parameters: { formId, answersMapping: { schema } } } as never,
		'f',
	);

	expect([[...known.keys], [...known.multipleChoice]]).toEqual([keys, multipleChoice]);
});

it('the questions of another form are refused, in the words of the editor', () => {
	const node = { parameters: { formId: fromList, answersMapping: { schema: [ofG] } } } as never;

	expect(() => knownQuestions(node, 'f')).toThrow(/another form: open this node and refresh/);
});

it('no mapping has no questions', () => {
	expect(knownQuestions({ parameters: {} } as never, 'f').keys.size).toBe(0);
});
