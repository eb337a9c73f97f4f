const { rm } = require('node:fs/promises');
const { dest, parallel, src } = require('gulp');

const clean = () => rm('dist', { recursive: true, force: true });

// `encoding: false` copies the bytes as they are; by default gulp 5 decodes files as text.
const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));

const codex = () => src('nodes/**/*.node.json').pipe(dest('dist/nodes'));

const previews = () => src('nodes/**/__schema__/**/*.json').pipe(dest('dist/nodes'));

exports.clean = clean;
exports.assets = parallel(icons, codex, previews);
