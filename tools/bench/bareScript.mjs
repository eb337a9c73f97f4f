/**
 * The same work without n8n: axios and JSON.parse, in a process of its own. It gets the work as a
 * message and answers with what it took.
 */
import axios from 'axios';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { once } from 'node:events';
import process from 'node:process';

const { baseUrl, apiKey, formId, form, rows, parallel, keepAlive } = (
	await once(process, 'message')
)[0];

const http = axios.create({
	baseURL: baseUrl,
	headers: { Authorization: `Bearer ${apiKey}` },
	httpAgent: new Agent({ keepAlive: keepAlive === true }),
	maxContentLength: Infinity,
	proxy: false,
});

const memory = (name) =>
	Number(
		new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))[1],
	) * 1024;

async function read() {
	const { data } = await http.get('/responses', {
		params: { form_id: formId },
		responseType: 'text',
		transformResponse: (text) => text,
	});
	return JSON.parse(data).responses;
}

async function submit() {
	let next = 0;
	const work = async () => {
		while (next < rows.length) {
			await http.post('/responses', { form_id: form, answers: rows[next++] });
		}
	};
	await Promise.all(Array.from({ length: parallel }, work));
}

writeFileSync('/proc/self/clear_refs', '5');
const idle = memory('VmRSS');
const cpu = process.cpuUsage();
const start = process.hrtime.bigint();
await (rows ? submit() : read());
const wallMs = Number(process.hrtime.bigint() - start) / 1e6;
const { user, system } = process.cpuUsage(cpu);
process.send({
	wallMs,
	cpuMs: (user + system) / 1000,
	peakBytes: memory('VmHWM') - idle,
});
process.disconnect();
