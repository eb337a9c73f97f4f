import { collectColumns, flattenAnswers } from '../../../../nodes/FormCollection/responses/table';

describe('flattened answers', () => {
	const flat = (records: object[], columns: string[] = [], separator = '') =>
		JSON.stringify(flattenAnswers(records as never, collectColumns(columns).result(), separator));

	it('stand before the other fields, which stay as they are', () => {
		const record = {
			id: 'r1',
			extra: { a: [null] },
			answers: { name: 'Ada', list: ['a', 'b'], odd: 7, none: null },
			created_at: 't',
		};

		expect(flat([record], [], ' | ')).toBe(
			'[{"name":"Ada","list":"a | b","odd":7,"none":null,"id":"r1","extra":{"a":[null]},"created_at":"t"}]',
		);
		expect(record.answers.list).toEqual(['a', 'b']);
	});

	it('have the same columns in each row, empty where a question was not answered', () => {
		const records = [
			{ answers: { b: '1' }, id: 'x' },
			{ id: 'y' },
			{ answers: { c: '2', a: '3' } },
		];

		expect(flat(records, ['a', 'b', 'id'])).toBe(
			'[{"a":"","b":"1","answer_id":"","id":"x"},{"a":"","b":"","answer_id":"","id":"y"},{"a":"3","b":"","answer_id":"","c":"2"}]',
		);
	});

	it('have one name for each question, whichever fields a record has', () => {
		const records = [
			{ score: 1, answers: { score: 'a', pixel_fired: 'b' } },
			{ answers: { score: 'c' } },
		];

		expect(flat(records)).toBe(
			'[{"answer_score":"a","answer_pixel_fired":"b","score":1},{"answer_score":"c"}]',
		);
	});

	it.each([{ score: 'a' }, { answer_score: 'b' }, { score: 'a', answer_score: 'b' }])(
		'have one name for each question, whichever others there are: %j',
		(answers) => {
			const table = flattenAnswers(
				[{ answers }],
				{ questions: new Set(), fields: new Set(['score']) },
				'',
			);

			for (const [key, answer] of Object.entries(answers)) {
				expect(table[0]).toHaveProperty(`answer_${key}`, answer);
			}
		},
	);

	it('keep lists without a separator, and lists of other than plain values', () => {
		expect(flat([{ answers: { list: ['a', 'b'], one: [] } }])).toBe(
			'[{"list":["a","b"],"one":[]}]',
		);
		expect(
			flat(
				[{ answers: { plain: ['x', null, 1], mixed: ['x', { y: 1 }], lists: [['x']] } }],
				[],
				', ',
			),
		).toBe('[{"plain":"x, , 1","mixed":["x",{"y":1}],"lists":[["x"]]}]');
	});

	it('lose no answer and no field where names collide', () => {
		const record = JSON.parse(
			'{"id":"r1","created_at":"t","pixel_fired":true,"answer_error":"of the record","__proto__":1,"constructor":2,' +
				'"answers":{"id":"a","created_at":"b","error":"c","message":"d","details":"e","answers":"f",' +
				'"answer_id":"g","answer_message":"h","__proto__":"i","constructor":"j","toString":"k","form_id":"l"}}',
		);

		expect(flat([record])).toBe(
			'[{"answer_id":"a","answer_created_at":"b","answer_answer_error":"c","answer_message":"d",' +
				'"answer_details":"e","answer_answers":"f","answer_answer_id":"g","answer_answer_message":"h",' +
				'"answer___proto__":"i","answer_constructor":"j","toString":"k","answer_form_id":"l",' +
				'"id":"r1","created_at":"t","pixel_fired":true,"answer_error":"of the record","__proto__":1,"constructor":2}]',
		);
	});

	it('have no name that later nodes would lose', () => {
		const record = JSON.parse(
			'{"answers":{"__proto__":"p","constructor":"c","prototype":"o","toString":"t","hasOwnProperty":"h","answer_constructor":"a"}}',
		);

		expect(flat([record])).toBe(
			'[{"answer___proto__":"p","answer_constructor":"c","answer_prototype":"o","toString":"t","hasOwnProperty":"h","answer_answer_constructor":"a"}]',
		);
	});

	it.each([null, 'text', [1]])('are not made of answers that are %p', (answers) => {
		expect(flat([{ id: 'r1', answers }], ['a'])).toBe(
			JSON.stringify([{ a: '', id: 'r1', answers }]),
		);
	});
});

it('collects a bounded number of columns, in the order of the form', () => {
	const columns = collectColumns(['z']);
	columns.add({ answers: { b: 'x', a: [] } });
	columns.add({ answers: { a: 'y', c: 'z' } });
	columns.add({ answers: null });
	columns.add({ id: 'r1' });
	expect([...columns.result().questions]).toEqual(['z', 'b', 'a', 'c']);
	columns.add({ answers: { between: 'x', c: 'y' } });
	expect([...columns.result().questions]).toEqual(['z', 'b', 'a', 'between', 'c']);
	expect([...columns.result().fields]).toEqual(['answers', 'id']);

	for (let n = 0; n < 300; n++)
		columns.add({ [`f${n}`]: 0, [`g${n}`]: 0, answers: { [`k${n}`]: '', [`l${n}`]: '' } });
	expect(columns.result().questions.size).toBe(500);
	expect(columns.result().fields.size).toBe(500);
});
