/** Writes docs/faults.md from what the fault matrix observes; the tests compare the page with that. */
import { paths } from '../playground/paths';
import { run } from '../playground/run';

run('npm', ['test', '--', 'faultMatrix'], {
	cwd: paths.root,
	env: { WRITE_DOCS: 'true' },
	stdio: 'inherit',
}).catch(() => (process.exitCode = 1));
