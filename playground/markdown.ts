/** A table in Markdown. */
export function table(heads: string[], rows: string[][], align = heads.map(() => '---')): string {
	return [heads, align, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
