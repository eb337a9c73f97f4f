import { hashOf } from '../../../nodes/FormCollection/hash';

// n8n saves hashes with executions and workflows: another one would not be recognized.
it.each([
	['', 'ztntfp-17rxogs'],
	['Ada', '16xwacb-oe1kp4'],
	['Größe 📏', '1gyajwq-se2nh3'],
])('the hash of %j never changes', (text, hash) => {
	expect(hashOf(text)).toBe(hash);
});
