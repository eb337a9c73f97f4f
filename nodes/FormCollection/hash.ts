/** A 64-bit hash of a text, e.g. "1kq2x9f-z0a3b1": FNV-1a with two seeds, each in base 36. */
export function hashOf(text: string): string {
	return [0x811c9dc5, 0x9dc5811c]
		.map((seed) => {
			let hash = seed;
			for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
			return (hash >>> 0).toString(36);
		})
		.join('-');
}
