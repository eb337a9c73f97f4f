// Loaded into n8n's process before n8n. The process that started it holds the other end of stdin,
// so that the stream ends however that process ends, a kill or a crash included.
process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
process.stdin.unref();
