import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// n8n-core reads these when it is first imported. One folder per worker: it keeps the key in it.
const folder = join(tmpdir(), `form-collection-test-${process.env.JEST_WORKER_ID}`);
mkdirSync(folder, { recursive: true });
process.env.N8N_USER_FOLDER = folder;
process.env.N8N_ENCRYPTION_KEY = 'not a secret';
process.env.N8N_LOG_LEVEL = 'silent';
