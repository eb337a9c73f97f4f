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
		--ink: light-dark(#1c2430, #e8ecf2); --soft: light-dark(#5b6675, #a3afbf); --edge: light-dark(#8b95a4, #6f7b8d);
		--page: light-dark(#eef1f5, #12161c); --card: light-dark(#fff, #1c222b); --bad: light-dark(#b3261e, #ff9a91);
		--accent: light-dark(#2f5bd0, #8fb0ff); --on-accent: light-dark(#fff, #10182b); --wash: light-dark(#edf2ff, #232d42); }
	:root[data-scheme='light'] { color-scheme: light; }
	:root[data-scheme='dark'] { color-scheme: dark; }
	* { box-sizing: border-box; }
	body { margin: 0; padding: 3rem 1rem; background: var(--page); color: var(--ink);
		font: 1rem/1.5 system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; overflow-wrap: anywhere; }
	main { max-width: 38rem; margin: 0 auto; padding: 2.5rem; background: var(--card);
		border-radius: 14px; box-shadow: 0 1px 3px #0002, 0 8px 30px #0000000f; }
	h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; }
	h2 { margin: 2rem 0 0; font-size: 1.125rem; line-height: 1.3; }
	p { margin: .5rem 0 0; }
	a { color: var(--accent); }
	small, .soft { color: var(--soft); }
	small { font-size: .875rem; font-weight: 400; }
	form { margin-top: 1.75rem; }
	.notice { padding: .75rem 1rem; border-left: 4px solid var(--bad); color: var(--bad); }
	.question { margin: 0 0 1.5rem; padding: 0; border: 0; min-width: 0; }
	.question > label, legend { display: block; padding: 0; margin-bottom: .4rem; font-weight: 600; }
	.field { width: 100%; padding: .6rem .75rem; font: inherit; color: inherit; background: var(--card); }
	.field, .option, .choice { border: 1px solid var(--edge); border-radius: 8px; }
	textarea.field { min-height: 7.5rem; resize: vertical; }
	:focus-visible { outline: 3px solid color-mix(in srgb, var(--accent) 45%, transparent); outline-offset: 1px; }
	.options { display: flex; flex-wrap: wrap; gap: .5rem; }
	.option { padding: .5rem .85rem; cursor: pointer; }
	.option input { accent-color: var(--accent); }
	button { padding: .7rem 1.6rem; font: inherit; font-weight: 600; cursor: pointer;
		color: var(--on-accent); background: var(--accent); border: 0; border-radius: 8px; }
	dl { display: grid; grid-template-columns: auto 1fr; gap: .35rem 1rem; margin: 1.5rem 0 0; }
	dt { color: var(--soft); }
	dd { margin: 0; font-family: ui-monospace, Menlo, Consolas, monospace; }
	.links, .forms li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .5rem 1rem; font-weight: 600; }
	.forms { margin: 1rem 0 0; padding: 0; }
	.forms li { padding: .8rem 0; border-top: 1px solid var(--edge); }
	.state { position: sticky; top: 0; min-height: 4rem; padding: .75rem 0; background: var(--card); font-weight: 600; }
	.choices { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .5rem; margin-top: .75rem; }
	.choice { padding: .6rem .85rem; text-align: left; color: inherit; background: var(--card); }
	.choice small { display: block; }
	.choice:hover, .choice[aria-pressed='true'], .option:has(:checked) { border-color: var(--accent); background: var(--wash); }
	footer { margin: 1.25rem auto 0; text-align: center; font-size: .875rem; }
	.embedded { padding: 0; background: var(--card); }
	.embedded main { padding: 1.75rem; max-width: none; border-radius: 0; box-shadow: none; }
	.embedded h1 { padding-right: 2.5rem; font-size: 1.5rem; }
	@media (max-width: 32rem) { body { padding: 0; } main { padding: 1.75rem 1.25rem; border-radius: 0; } }
`);

/** In somebody else's page: no edges, no footer. */
export interface Frame {
	/** Of that page; the visitor's own where it is not known */
	scheme: 'light' | 'dark' | undefined;
}

// A page that shows a frame cannot see the keys pressed in it.
const passEscapeOn = new Html(`<script>
	addEventListener('keydown', ({ key }) => {
		if (key === 'Escape') parent.postMessage('form-collection-close', '*');
	});
</script>`);

const footer = html`<footer><a href="/">Home of this sandbox</a></footer>`;

export function page(title: string, content: Html, frame?: Frame): string {
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
			<body ${frame && html`class="embedded"`}>
				<main>${content}</main>
				${frame ? passEscapeOn : footer}
			</body>
		</html>`.text;
}
