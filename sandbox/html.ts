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
	:root { color-scheme: light dark;
		--ink: light-dark(#1c2430, #e8ecf2); --soft: light-dark(#5b6675, #a3afbf); --line: light-dark(#d5dbe3, #3d4858);
		--edge: light-dark(#8b95a4, #6f7b8d); --page: light-dark(#eef1f5, #12161c); --card: light-dark(#fff, #1c222b);
		--accent: light-dark(#2f5bd0, #8fb0ff); --on-accent: light-dark(#fff, #10182b); --wash: light-dark(#edf2ff, #232d42);
		--bad: light-dark(#b3261e, #ff9a91); }
	:root[data-scheme='light'] { color-scheme: light; }
	:root[data-scheme='dark'] { color-scheme: dark; }
	* { box-sizing: border-box; }
	body { margin: 0; padding: 3rem 1rem; background: var(--page); color: var(--ink);
		font: 1rem/1.5 system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; }
	main { max-width: 38rem; margin: 0 auto; padding: 2.5rem; background: var(--card);
		border-radius: 14px; box-shadow: 0 1px 3px #0002, 0 8px 30px #0000000f; }
	h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; letter-spacing: -.01em; overflow-wrap: anywhere; }
	h2 { margin: 2rem 0 0; font-size: 1.125rem; line-height: 1.3; }
	p { margin: .5rem 0 0; }
	ul { margin: .5rem 0 0; padding-left: 1.25rem; overflow-wrap: anywhere; }
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
	select.field { height: 2.9rem; padding-right: 2.25rem; appearance: none; background: var(--card) no-repeat;
		background-image: linear-gradient(45deg, transparent 50%, var(--soft) 50%), linear-gradient(135deg, var(--soft) 50%, transparent 50%);
		background-position: right 1.2rem center, right .85rem center; background-size: .35rem .35rem; }
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
	.address { display: grid; grid-template-columns: auto 1fr; gap: .35rem 1rem; margin: 1.5rem 0 0; }
	.address dt { color: var(--soft); }
	.address dd { margin: 0; font-family: ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
	.links { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; margin-top: 1.25rem; font-weight: 600; }
	.switches { margin-top: 1rem; }
	.state { position: sticky; top: 0; display: flex; justify-content: space-between; align-items: center; gap: 1rem;
		min-height: 3.75rem; margin: 0; padding: .5rem 0; background: var(--card); border-bottom: 1px solid var(--line); }
	.state button { flex: none; width: auto; padding: .5rem 1rem; }
	.choices { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .5rem; margin-top: .75rem; }
	.choice { display: flex; flex-direction: column; width: auto; padding: .6rem .85rem; text-align: left; line-height: 1.35; color: inherit; background: var(--card);
		border: 1px solid var(--edge); }
	.choice small { font-size: .875rem; font-weight: 400; color: var(--soft); }
	.choice:hover { background: var(--wash); filter: none; }
	.choice[aria-pressed='true'] { border-color: var(--accent); background: var(--wash); box-shadow: inset 0 0 0 1px var(--accent); }
	.forms { list-style: none; margin: 1.5rem 0 0; padding: 0; border-top: 1px solid var(--line); }
	.forms li { display: flex; justify-content: space-between; align-items: center; gap: 1rem;
		padding: .8rem 0; border-bottom: 1px solid var(--line); }
	.forms a { font-weight: 600; text-decoration: none; }
	.forms a:hover { text-decoration: underline; }
	.forms small { display: block; color: var(--soft); }
	.count { flex: none; color: var(--soft); font-variant-numeric: tabular-nums; }
	footer { max-width: 38rem; margin: 1.25rem auto 0; text-align: center; font-size: .875rem; color: var(--soft); }
	footer a { color: inherit; }
	.wide main { max-width: 60rem; }
	.embedded { padding: 0; background: var(--card); }
	.embedded main { padding: 1.75rem; max-width: none; border-radius: 0; box-shadow: none; }
	.embedded h1 { padding-right: 2.5rem; font-size: 1.5rem; }
	@media (max-width: 32rem) { body { padding: 0; background: var(--card); }
		main { padding: 1.75rem 1.25rem; border-radius: 0; box-shadow: none; }
		footer { padding: 0 1.25rem 1.5rem; } button { width: 100%; } .options:not(.short) { flex-direction: column; } }
`);

/** In somebody else's page: no edges, no footer. */
export interface Frame {
	/** Of that page; the visitor's own where it is not known */
	scheme: 'light' | 'dark' | undefined;
}

interface PageOptions {
	footer: Html;
	frame?: Frame;
	isWide?: boolean;
}

// A page that shows a frame cannot see the keys pressed in it.
const passEscapeOn = new Html(`<script>
	addEventListener('keydown', ({ key }) => {
		if (key === 'Escape') parent.postMessage('form-collection-close', '*');
	});
</script>`);

export function page(title: string, content: Html, { footer, frame, isWide }: PageOptions): string {
	return html`<!doctype html>
		<html lang="en" ${frame?.scheme && html`data-scheme="${frame.scheme}"`}>
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<title>${title}</title>
				<link rel="icon" href="data:," />
				<style>
					${style}
				</style>
			</head>
			<body ${frame && html`class="embedded"`} ${isWide && html`class="wide"`}>
				<main>${content}</main>
				${frame ? passEscapeOn : html`<footer>${footer}</footer>`}
			</body>
		</html>`.text;
}
