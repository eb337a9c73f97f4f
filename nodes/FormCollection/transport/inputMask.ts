import { readApiKey, type RequestContext } from './account';
import { ServiceError } from './errors';
import { hidesAWord, maskKey, SHORTEST_PART } from './redaction';

/**
 * Keeps the API key out of errors about what was entered: somebody may have pasted the key into another
 * field, or an expression may return the field of the item that has it. What the service says is masked
 * where it is read.
 */
export class InputMask {
	/** The key of a credential without expressions: n8n reads its database for each item */
	private keyOfAll: string | undefined;

	constructor(private readonly context: RequestContext) {}

	/** Changes the error itself, which has what n8n explains a broken expression with. */
	async apply(error: unknown, itemIndex: number): Promise<void> {
		if (!(error instanceof Error) || error instanceof ServiceError) return;
		const apiKey = this.keyOfAll ?? (await this.read(itemIndex));
		// A shorter one may be a word of the message.
		if (apiKey.length < SHORTEST_PART) return;
		const texts: { message: string; description?: unknown } = error;
		texts.message = withoutKey(texts.message, apiKey);
		if (typeof texts.description === 'string') {
			texts.description = withoutKey(texts.description, apiKey);
		}
	}

	private async read(itemIndex: number): Promise<string> {
		try {
			const { apiKey, isSameForAllItems } = await readApiKey(this.context, itemIndex);
			if (isSameForAllItems) this.keyOfAll = apiKey;
			return apiKey;
		} catch {
			// Most likely the error says so.
			return '';
		}
	}
}

function withoutKey(text: string, apiKey: string): string {
	const masked = maskKey(text, apiKey);
	return hidesAWord(text, masked, apiKey) ? text : masked;
}
