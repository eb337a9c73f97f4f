/**
 * Question keys in the order in which the form asks, as far as its responses show it: a question that earlier responses
 * left out stands before the one that is answered after it.
 */
export class QuestionOrder {
	readonly keys: string[] = [];

	private readonly known = new Set<string>();

	/** @param answers of one response */
	add(answers: object): void {
		for (const key in answers) {
			if (!this.known.has(key)) this.insert(key, Object.keys(answers));
		}
	}

	private insert(key: string, all: string[]): void {
		const next = all.slice(all.indexOf(key) + 1).find((other) => this.known.has(other));
		this.keys.splice(next === undefined ? this.keys.length : this.keys.indexOf(next), 0, key);
		this.known.add(key);
	}
}
