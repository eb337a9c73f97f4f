const published = 'nodes/FormCollection';

/** What lies lower may be imported from above, never the other way round. */
const importsDown = (folder, ...lower) => ({
	name: `${folder}-imports-down`,
	severity: 'error',
	from: { path: `^${published}/${folder}/` },
	to: {
		path: `^${published}/`,
		pathNot: `^${published}/(${[`${folder}/`, ...lower].join('|')})`,
	},
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		{ name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
		importsDown('transport'),
		importsDown('responses', 'transport/'),
		importsDown('submissions', 'responses/', 'transport/'),
		importsDown('parameters', 'responses/', 'transport/'),
		importsDown('actions', 'parameters/', 'submissions/', 'responses/', 'transport/'),
		importsDown('trigger', 'parameters/', 'responses/', 'transport/'),
		importsDown(
			'methods',
			'actions/createResponse/mapping\\.ts',
			'parameters/',
			'responses/',
			'transport/',
		),
		{
			name: 'published-imports-published',
			severity: 'error',
			from: { path: '^(nodes|credentials)/' },
			to: { path: '^(sandbox|playground|test|tools)/' },
		},
	],
	options: {
		// Counts what is imported for its type only, too.
		tsPreCompilationDeps: true,
		exclude: { path: ['node_modules', '^playground/\\.data'] },
	},
};
