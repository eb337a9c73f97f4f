/** HTML that needs no further escaping. */
export class Html {
	constructor(readonly text: string) {}
}

type Part = string | number | Html | Html[] | false | undefined;

/** Escapes every value put into it, except what is Html already. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
	return new Html(String.raw({ raw: strings }, ...parts.map(render)));
}

function render(part: Part): string {
	if (part === undefined || part === false) return '';
	if (part instanceof Html) return part.text;
	if (Array.isArray(part)) return part.map(render).join('');
	return String(part).replace(/[&<>"']/g, (symbol) => `&#${symbol.charCodeAt(0)};`);
}

const style = new Html(`
	:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d5dbe3; --edge: #8b95a4;
		--page: #eef1f5; --card: #fff; --accent: #2f5bd0; --on-accent: #fff; --wash: #edf2ff; --bad: #b3261e; }
	@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf2; --soft: #a3afbf; --line: #3d4858; --edge: #6f7b8d;
		--page: #12161c; --card: #1c222b; --accent: #8fb0ff; --on-accent: #10182b; --wash: #232d42; --bad: #ff9a91; } }
	* { box-sizing: border-box; }
	body { margin: 0; padding: 3rem 1rem; background: var(--page); color: var(--ink);
		font: 1rem/1.5 system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; }
	main { max-width: 38rem; margin: 0 auto; padding: 2.5rem; background: var(--card);
		border-radius: 14px; box-shadow: 0 1px 3px #0002, 0 8px 30px #0000000f; }
	h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; letter-spacing: -.01em; overflow-wrap: anywhere; }
	p { margin: .5rem 0 0; }
	a { color: var(--accent); }
	.soft { color: var(--soft); }
	.notice { margin-top: 1.25rem; padding: .75rem 1rem; border-left: 4px solid var(--bad); color: var(--bad); }
	form { margin-top: 1.75rem; }
	.question { margin: 0 0 1.5rem; padding: 0; border: 0; min-width: 0; }
	.question > label, legend { display: block; padding: 0; margin-bottom: .4rem; font-weight: 600; overflow-wrap: anywhere; }
	.hint, .optional { color: var(--soft); font-size: .9rem; font-weight: 400; }
	.hint { margin: -.25rem 0 .4rem; }
	.field { width: 100%; padding: .6rem .75rem; font: inherit; color: inherit; background: var(--card);
		border: 1px solid var(--edge); border-radius: 8px; }
	textarea.field { min-height: 7.5rem; resize: vertical; }
	select.field { height: 2.9rem; }
	:focus-visible { outline: 3px solid color-mix(in srgb, var(--accent) 45%, transparent); outline-offset: 1px; }
	.options { display: flex; flex-wrap: wrap; gap: .5rem; }
	.option { display: flex; align-items: center; gap: .5rem; padding: .5rem .85rem; cursor: pointer;
		border: 1px solid var(--edge); border-radius: 8px; }
	.short .option { flex: 1; justify-content: center; padding: .5rem; }
	.option:has(:checked) { border-color: var(--accent); background: var(--wash); }
	.option input { width: 1.05rem; height: 1.05rem; margin: 0; accent-color: var(--accent); }
	button { padding: .7rem 1.6rem; font: inherit; font-weight: 600; cursor: pointer;
		color: var(--on-accent); background: var(--accent); border: 0; border-radius: 8px; }
	button:hover { filter: brightness(1.08); }
	.forms { list-style: none; margin: 1.5rem 0 0; padding: 0; border-top: 1px solid var(--line); }
	.forms li { display: flex; justify-content: space-between; align-items: center; gap: 1rem;
		padding: .8rem 0; border-bottom: 1px solid var(--line); }
	.forms a { font-weight: 600; text-decoration: none; }
	.forms a:hover { text-decoration: underline; }
	.forms small { display: block; color: var(--soft); }
	.count { flex: none; color: var(--soft); font-variant-numeric: tabular-nums; }
	footer { max-width: 38rem; margin: 1.25rem auto 0; text-align: center; font-size: .875rem; color: var(--soft); }
	footer a { color: inherit; }
	.embedded { padding: 0; background: var(--card); }
	.embedded main { padding: 1.75rem; max-width: none; border-radius: 0; box-shadow: none; }
	.embedded h1 { padding-right: 2.5rem; font-size: 1.5rem; }
	@media (max-width: 32rem) { body { padding: 0; background: var(--card); }
		main { padding: 1.75rem 1.25rem; border-radius: 0; box-shadow: none; }
		footer { padding: 0 1.25rem 1.5rem; } button { width: 100%; } .options:not(.short) { flex-direction: column; } }
`);

interface PageOptions {
	footer: Html;
	/** For a frame in somebody else's page: no edges, no footer. */
	embedded?: boolean;
}

// A page that shows a frame cannot see the keys pressed in it.
const passEscapeOn = new Html(`<script>
	addEventListener('keydown', ({ key }) => {
		if (key === 'Escape') parent.postMessage('form-collection-close', '*');
	});
</script>`);

export function page(title: string, content: Html, { footer, embedded }: PageOptions): string {
	return html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<title>${title}</title>
				<link rel="icon" href="data:," />
				<style>
					${style}
				</style>
			</head>
			<body ${embedded && html`class="embedded"`}>
				<main>${content}</main>
				${embedded ? passEscapeOn : html`<footer>${footer}</footer>`}
			</body>
		</html>`.text;
}
