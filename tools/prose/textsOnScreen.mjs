/**
 * Lints the texts on screen: names, descriptions, hints and error messages, which are string literals of
 * the published code.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { VFile } from 'vfile';
import { reporter } from 'vfile-reporter';
import { englishOnScreen } from './rules.mjs';

/** Literals with fewer words are keys, types or parts of a message. */
const isProse = (text) => text.split(' ').length > 3;

function textsOf(path) {
	const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
	const texts = [];
	const visit = (node) => {
		const text = ts.isStringLiteralLike(node)
			? node.text
			: ts.isTemplateExpression(node)
				? [node.head, ...node.templateSpans.map((span) => span.literal)]
						.map((literal) => literal.text)
						.join('…')
				: '';
		const { line } = source.getLineAndCharacterOfPosition(node.pos);
		if (isProse(text)) texts.push(new VFile({ path: `${path}:${line + 1}`, value: text }));
		ts.forEachChild(node, visit);
	};
	visit(source);
	return texts;
}

const paths = ['nodes', 'credentials'].flatMap((folder) =>
	readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => join(folder, file)),
);
const texts = paths.flatMap(textsOf);
for (const text of texts) await englishOnScreen.run(englishOnScreen.parse(text), text);
const report = reporter(texts, { quiet: true });
if (report) {
	console.error(report);
	process.exitCode = 1;
}
