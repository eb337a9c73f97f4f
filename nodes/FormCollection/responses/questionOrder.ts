interface Place {
	key?: string;
	previous?: Place;
	next?: Place;
}

/**
 * Question keys in the order in which the form asks, as far as its responses show it: a question that
 * earlier responses left out follows the one that is answered before it, or else precedes the next one.
 *
 * @param most keys; further ones are left out
 */
export function questionOrder(most = Infinity) {
	// A linked list, because a form may have many thousands of keys.
	const places = new Map<string, Place>();
	const start: Place = {};
	let last = start;

	const insert = (key: string, previous: Place): Place => {
		const place: Place = { key, previous, next: previous.next };
		places.set(key, place);
		previous.next = place;
		if (place.next === undefined) last = place;
		else place.next.previous = place;
		return place;
	};

	const beforeFirstKnown = (keys: string[]): Place => {
		const known = keys.find((key) => places.has(key));
		return (known !== undefined && places.get(known)?.previous) || last;
	};

	return {
		/** @param keys of the answers of one response */
		add(keys: string[]): void {
			let before: Place | undefined;
			for (const key of keys) {
				if (places.size >= most) return;
				before = places.get(key) ?? insert(key, before ?? beforeFirstKnown(keys));
			}
		},
		keys(): string[] {
			const keys: string[] = [];
			for (let { next } = start; next !== undefined; next = next.next)
				keys.push(next.key as string);
			return keys;
		},
	};
}
