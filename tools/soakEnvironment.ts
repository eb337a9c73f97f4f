import '../test/support/environment';

// Node.js would take `FormCollection.node` for the JSON file of that name, before the TypeScript file.
const extensions: Record<string, unknown> = require.extensions;
const json = extensions['.json'];
delete extensions['.json'];
extensions['.json'] = json;
