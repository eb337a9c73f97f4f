import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @returns the program's file on the PATH, or in one of these folders */
export function findProgram(name: string, ...folders: string[]): string | undefined {
	return [...(process.env['PATH'] ?? '').split(delimiter), ...folders]
		.map((folder) => join(folder, name))
		.find((file) => existsSync(file));
}
