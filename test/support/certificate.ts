import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
	key: string;
	cert: string;
}

/** @param host as a certificate names it, e.g. `IP:127.0.0.1` or `DNS:example.com` */
export function selfSigned(host: string): Certificate {
	const folder = mkdtempSync(join(tmpdir(), 'form-collection-tls-'));
	try {
		const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
		execFileSync(
			'openssl',
			`req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=test -addext subjectAltName=${host} -keyout ${key} -out ${cert}`.split(
				' ',
			),
			{ stdio: 'ignore' },
		);
		return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
	} finally {
		rmSync(folder, { recursive: true });
	}
}
