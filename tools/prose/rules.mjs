/** The rules of English for documentation and texts on screen; `words` is the package's own style. */
import retextEnglish from 'retext-english';
import retextRepeatedWords from 'retext-repeated-words';
import retextSimplify from 'retext-simplify';
import { toString } from 'nlcst-to-string';
import { unified } from 'unified';
import { visit } from 'unist-util-visit';

/** Terms of HTTP, forms and n8n, which have no simpler word. */
const terms = [
	'a number of',
	'address',
	'all of',
	'contains',
	'delete',
	'effect',
	'function',
	'has no effect',
	'identical',
	'it is',
	'minimum',
	'multiple',
	'observe',
	'option',
	'parameters',
	'previous',
	'request',
	'submit',
	'there are',
	'there is',
	'type',
];

/** What n8n and its users call it, by what they do not. */
const words = [
	[/\ba n8n\b/gi, 'an n8n'],
	[/\be-mail/gi, 'email'],
	[/\bledger/gi, 'submission log'],
	[/\bsieve/gi, 'dedupe filter'],
	[/\bhorizon\b/gi, 'watermark'],
	[/\bdoubts?\b/gi, 'unknown outcome'],
	[/\b(?:the|an?) n8n(?= ?[.,;:)]|$| (?:is|was|has|you|that|in|of)\b)/g, 'instance'],
	[/\bwhoever\b|\bwhoso/gi, 'administrator, you'],
	[/\b(?:a|the) person\b/gi, 'somebody, you'],
	[/\bafresh\b/gi, 'again'],
	[/\bof its own making\b/gi, 'its own'],
	[/\bthe sentence\b/gi, 'the error message'],
	[/\ball the same\b/gi, 'anyway'],
	[/\bvouche?s?\b/gi, 'trust'],
	[/\b(?:at run time)\b/gi, 'runtime'],
	[/\bwhilst\b|\bthereof\b|\bherein\b/gi, 'plain words'],
	[/\bclick on\b/gi, 'select'],
];

function ownWords() {
	return (tree, file) => {
		visit(tree, 'SentenceNode', (sentence) => {
			const text = toString(sentence);
			for (const [pattern, better] of words)
				for (const [found] of text.matchAll(pattern))
					file.message(`Write "${better}" instead of "${found}"`, { place: sentence.position });
		});
	};
}

const rules = (ignore) =>
	unified()
		.use(retextEnglish)
		.use(retextRepeatedWords)
		.use(retextSimplify, { ignore })
		.use(ownWords);

export const english = rules(terms);

/** n8n's linter wants "e.g." in placeholders. */
export const englishOnScreen = rules([...terms, 'e.g.']);
