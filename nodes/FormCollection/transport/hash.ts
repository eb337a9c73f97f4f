/** A 64-bit hash of a text, e.g. "1kq2x9f-z0a3b1": FNV-1a with two seeds, each in base 36. */
export function hashOf(text: string): string {
	const hash = (seed: number) => {
		for (let i = 0; i < text.length; i++) seed = Math.imul(seed ^ text.charCodeAt(i), 0x01000193);
		return (seed >>> 0).toString(36);
	};
	return `${hash(0x811c9dc5)}-${hash(0x9dc5811c)}`;
}
