/**
 * The least that a node of one's own takes: n8n's request helper for each item, ten at a time, with the
 * credential of the package. No retries, no log of what was submitted, no checks.
 */
class FloorNode {
	description = {
		displayName: 'Floor',
		name: 'floorNode',
		group: ['transform'],
		version: 1,
		description: 'For benchmarks',
		defaults: { name: 'Floor' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'formCollectionApi', required: true }],
		properties: [
			{ displayName: 'Form ID', name: 'formId', type: 'string', default: '' },
			{ displayName: 'Answers', name: 'answers', type: 'json', default: '' },
			{ displayName: 'Created After', name: 'createdAfter', type: 'string', default: '' },
			{ displayName: 'Limit', name: 'limit', type: 'number', default: 1e9 },
		],
	};

	async execute() {
		const items = [...this.getInputData().keys()];
		const { baseUrl } = await this.getCredentials('formCollectionApi');
		const [createdAfter, limit] = ['createdAfter', 'limit'].map((name) =>
			this.getNodeParameter(name, 0),
		);
		const work = async (item) => {
			const form_id = this.getNodeParameter('formId', item);
			const answers = this.getNodeParameter('answers', item);
			const request = answers
				? { method: 'POST', body: { form_id, answers } }
				: { qs: { form_id } };
			const options = { url: `${baseUrl}/responses`, json: true, ...request };
			const reply = await this.helpers.httpRequestWithAuthentication.call(
				this,
				'formCollectionApi',
				options,
			);
			const found = reply.responses?.filter(({ created_at }) => created_at >= createdAfter);
			return (found?.slice(0, limit) ?? [reply]).map((json) => ({ json, pairedItem: { item } }));
		};
		const output = [];
		const next = items.values();
		const worker = async () => {
			for (const item of next) output[item] = await work(item);
		};
		await Promise.all(Array.from({ length: 10 }, worker));
		return [output.flat()];
	}
}

module.exports = { FloorNode };
