/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [{ name: 'no-circular', severity: 'error', from: {}, to: { circular: true } }],
	options: {
		// Counts what is imported for its type only, too.
		tsPreCompilationDeps: true,
		exclude: { path: ['node_modules', '^playground/\\.data'] },
	},
};
