/** Repeatable random numbers in [0, 1): the same seed gives the same sample data. */
export function randomNumbers(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** An identifier in the style of the variant: UUID-like, or a short opaque string. */
export function newId(variant: 'plain' | 'extended', random: () => number = Math.random): string {
	const symbols = (count: number, alphabet: string) =>
		Array.from({ length: count }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
	if (variant === 'plain') return symbols(10, 'abcdefghijkmnpqrstuvwxyz23456789');
	const hex = (count: number) => symbols(count, '0123456789abcdef');
	return `${hex(8)}-${hex(4)}-4${hex(3)}-${symbols(1, '89ab')}${hex(3)}-${hex(12)}`;
}
