import { ResponseIds } from '../../../../nodes/FormCollection/submissions/responseIds';

it('has a response that was created since the form was read once', () => {
	const ids = new ResponseIds([]);

	ids.include('key', 1);
	ids.include('key', '1');
	ids.include('key', 2);

	expect(ids.of('key')).toEqual([1, 2]);
	expect(ids.of('another')).toEqual([]);
});
