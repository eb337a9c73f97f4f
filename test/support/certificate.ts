import { isIP } from 'node:net';
import { generate } from 'selfsigned';

export interface Certificate {
	key: string;
	cert: string;
}

/** @param host a name, or an IP address */
export async function selfSigned(host: string): Promise<Certificate> {
	const altName = isIP(host) ? { type: 7 as const, ip: host } : { type: 2 as const, value: host };
	const { private: key, cert } = await generate([{ name: 'commonName', value: 'test' }], {
		extensions: [{ name: 'subjectAltName', altNames: [altName] }],
	});
	return { key, cert };
}
