/** 64 bits of a text, as letters and digits: FNV-1a with two seeds. */
export function hashOf(text: string): string {
	return [0x811c9dc5, 0x9dc5811c]
		.map((seed) => {
			let hash = seed;
			for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
			return (hash >>> 0).toString(36);
		})
		.join('-');
}
