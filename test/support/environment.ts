import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// n8n-core reads these when it is first imported.
process.env.N8N_USER_FOLDER = mkdtempSync(join(tmpdir(), 'form-collection-test-'));
process.env.N8N_ENCRYPTION_KEY = randomBytes(24).toString('hex');
process.env.N8N_LOG_LEVEL = 'silent';
