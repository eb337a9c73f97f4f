/**
 * Holds a real Form Collection Service to its API reference, in the way in which the tests hold the
 * sandbox to it, and tells what it showed where the reference leaves something open.
 */
import { command } from './command';

const { argv, env, stdin: input, stderr: output } = process;

void command(argv.slice(2), env, { input, output }, console.log).then((status) => {
	process.exitCode = status;
});
