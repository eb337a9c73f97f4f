import { isIP } from 'node:net';
import { generate } from 'selfsigned';

const DAY_MS = 86_400_000;

/** @param host a name, or an IP address */
export async function selfSigned(host: string) {
	const altName = isIP(host) ? { type: 7 as const, ip: host } : { type: 2 as const, value: host };
	const { private: key, cert } = await generate([{ name: 'commonName', value: 'test' }], {
		extensions: [{ name: 'subjectAltName', altNames: [altName] }],
		// Valid for a test whose clock runs ahead, too.
		notBeforeDate: new Date(Date.now() - DAY_MS),
	});
	return { key, cert };
}
