import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(__dirname, '../..');
const pages = [root, join(root, 'docs')].flatMap((folder) =>
	readdirSync(folder)
		.filter((name) => name.endsWith('.md'))
		.map((name) => join(folder, name)),
);
const read = (file: string) => readFileSync(file, 'utf8');

/** As GitHub names the headings of a page in links */
function anchorsOf(page: string): string[] {
	const headings = [
		...read(page)
			.toLowerCase()
			.matchAll(/^#+ (.+)$/gm),
	];
	return headings.map(([, text = '']) => text.replace(/[^\w\- ]/g, '').replaceAll(' ', '-'));
}

it.each(pages)('each link within the repository leads somewhere: %s', (page) => {
	const links = [...read(page).matchAll(/(?:\]\(|src="|srcset=")([^)"\s]+)/g)]
		.map(([, link = '']) => link)
		.filter((link) => !/^https?:|^mailto:/.test(link));
	const broken = links.filter((link) => {
		const [path, anchor] = link.split('#') as [string, string?];
		const target = path === '' ? page : join(dirname(page), path);
		return !existsSync(target) || (anchor && !anchorsOf(target).includes(anchor));
	});

	expect(broken).toEqual([]);
});

it('each promise names a test that exists', () => {
	const features = join(root, 'test', 'features');
	const tests = readdirSync(features)
		.filter((name) => name.endsWith('.test.ts'))
		.map((name) => read(join(features, name)))
		.join();
	const rows = [...read(join(root, 'docs', 'promises.md')).matchAll(/^\| .+\. +\| (.+?) +\|$/gm)];
	const names = rows.map(([, name = '']) => name);

	expect(names.length).toBeGreaterThan(20);
	expect(names.filter((name) => !tests.includes(`'${name}'`))).toEqual([]);
});
