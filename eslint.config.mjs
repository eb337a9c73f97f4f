import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

const published = ['nodes/**/*.ts', 'credentials/**/*.ts'];

/** What each folder of nodes/FormCollection may import from the others. Arrows point down. */
const lowerFolders = {
	transport: [],
	responses: ['transport'],
	submissions: ['responses', 'transport'],
	parameters: ['responses', 'transport'],
	trigger: ['parameters', 'responses', 'transport'],
	methods: ['actions/createResponse/mapping', 'parameters', 'responses', 'transport'],
	actions: ['parameters', 'submissions', 'responses', 'transport'],
};

/** ESLint takes the options of the last entry for a file, so that each has all patterns. */
const restrictImports = (files, ...patterns) => ({
	files,
	rules: {
		'no-restricted-imports': [
			'error',
			{
				patterns: [
					// Only n8n-workflow is there at run time in every n8n.
					{
						regex: '^(?!\\.{1,2}/|n8n-workflow$)',
						message: 'Import relative paths or n8n-workflow only',
					},
					{
						regex: '^(?:\\.\\./)+(?:sandbox|playground|test|tools)(?:/|$)',
						message: 'Nothing published imports what is not',
					},
					...patterns,
				],
			},
		],
	},
});

/** `depth`: folders between this one and the files */
const importsDown = (folder, lower, depth) =>
	restrictImports([`nodes/FormCollection/${folder}/${'*/'.repeat(depth)}*.ts`], {
		regex: `^(?:\\.\\./){${depth + 1}}(?!${['\\.\\.', ...lower].join('|')})`,
		message: `${folder}/ imports only from ${lower.join(', ') || 'itself'}`,
	});

export default tseslint.config(
	{ ignores: ['dist/', 'coverage/', 'playground/.data/', '**/node_modules/'] },
	{ linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
	{
		files: ['**/*.{js,cjs,mjs,ts}'],
		extends: [js.configs.recommended, tseslint.configs.recommended, tseslint.configs.stylistic],
	},
	{
		files: ['**/*.{js,cjs,mjs}'],
		languageOptions: {
			globals: {
				exports: 'writable',
				module: 'writable',
				process: 'readonly',
				require: 'readonly',
				...{ __dirname: 'readonly', Buffer: 'readonly', setInterval: 'readonly' },
			},
		},
		rules: { '@typescript-eslint/no-require-imports': 'off' },
	},
	{
		files: ['sandbox/embed.js'],
		languageOptions: {
			sourceType: 'script',
			globals: {
				addEventListener: 'readonly',
				document: 'readonly',
				window: 'readonly',
				URL: 'readonly',
			},
		},
	},
	{ ...n8nCommunityNodesPlugin.configs.recommended, files: [...published, 'package.json'] },
	{
		files: published,
		extends: [tseslint.configs.strict],
		rules: { 'no-console': 'error' },
	},
	restrictImports(published),
	...Object.entries(lowerFolders).flatMap(([folder, lower]) =>
		[0, 1].map((depth) => importsDown(folder, lower, depth)),
	),
	{ plugins: { 'n8n-nodes-base': n8nNodesBase } },
	{
		files: ['package.json'],
		languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
		rules: n8nNodesBase.configs.community.rules,
	},
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			// Wants the name of a page of n8n's own docs; a community package has an address.
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			// These two want string literals where n8n-workflow has constants.
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
		},
	},
);
