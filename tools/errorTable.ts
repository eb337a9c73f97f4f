/** Compares the tables of error messages in docs/errors.md with the messages of the published code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const page = 'docs/errors.md';

/** Where `message` is that of an error */
const ofErrors = /\/(?:transport|submissions)\//;

function sourcesIn(folder: string): ts.SourceFile[] {
	return readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.map((file) => join(folder, file).replaceAll('\\', '/'))
		.filter((path) => path.endsWith('.ts'))
		.map((path) =>
			ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true),
		);
}

function all<Node extends ts.Node>(source: ts.Node, is: (node: ts.Node) => node is Node): Node[] {
	const found: Node[] = is(source) ? [source] : [];
	ts.forEachChild(source, (child) => void found.push(...all(child, is)));
	return found;
}

/** @returns the texts with "…" for values: "The service at … cannot be reached: …" */
function messagesIn(source: ts.SourceFile): string[] {
	const constants = new Map(
		all(source, ts.isVariableDeclaration).map(({ name, initializer }) => [
			name.getText(),
			initializer,
		]),
	);
	const textsOf = (node?: ts.Expression): string[] => {
		if (node === undefined) return [];
		if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap(textsOf);
		if (ts.isStringLiteralLike(node)) return [node.text];
		if (ts.isIdentifier(node)) return textsOf(constants.get(node.text));
		if (!ts.isTemplateExpression(node)) return [];
		return node.templateSpans.reduce(
			(texts, { expression, literal }) => {
				const values = ts.isIdentifier(expression) ? textsOf(expression) : [];
				const shown = values.length > 0 ? values : ['…'];
				return texts.flatMap((text) => shown.map((value) => text + value + literal.text));
			},
			[node.head.text],
		);
	};
	const isMessage = ({ name }: ts.PropertyAssignment | ts.ShorthandPropertyAssignment) =>
		(name.getText() === 'message' && ofErrors.test(source.fileName)) ||
		name.getText() === 'emptyFieldsNotice';
	return [
		...all(source, ts.isNewExpression)
			.filter(({ expression }) => expression.getText() === 'InvalidInput')
			.map((error) => error.arguments?.[0]),
		...all(source, ts.isPropertyAssignment)
			.filter(isMessage)
			.map(({ initializer }) => initializer),
		...all(source, ts.isShorthandPropertyAssignment)
			.filter(isMessage)
			.map(({ name }) => name),
	].flatMap(textsOf);
}

function rowsIn(markdown: string): string[] {
	const cells = [...markdown.matchAll(/^\| (?!-|The error message begins)(.+?) *\|/gm)];
	return cells.flatMap(([, cell = '']) => cell.split('<br>'));
}

/** Messages are of the form "what happened: what to do". */
const whatHappened = (message: string) => message.replace(/: .*/, '');

const fits = (text: string, pattern: string) =>
	new RegExp(
		`^${pattern
			.split('…')
			.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
			.join('.*')}$`,
	).test(text);

function isAbout(row: string, message: string): boolean {
	if (row.includes(': ')) return fits(message, row) || fits(row, message);
	const happened = whatHappened(message);
	if (message.startsWith('…') && !row.startsWith('…')) return false;
	return fits(happened, row) || fits(row, happened);
}

/** What the page and the code do not agree on. */
export function errorTableComplaints(root: string): string[] {
	const messages = sourcesIn(join(root, 'nodes')).flatMap(messagesIn);
	const markdown = readFileSync(join(root, page), 'utf8');
	const rows = rowsIn(markdown.slice(markdown.indexOf('\n## Error messages')));
	const gone = rows.filter((row) => !messages.some((message) => isAbout(row, message)));
	const missing = messages.filter((message) => !rows.some((row) => isAbout(row, message)));
	const withoutAdvice = messages.filter((message) => !/[:.] ./.test(message));
	return [
		...gone.map((row) => `${page} explains "${row}", which no error message begins with`),
		...missing.map((message) => `${page} does not explain "${message}"`),
		...withoutAdvice.map((message) => `"${message}" names no next step`),
	];
}
