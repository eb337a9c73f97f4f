import '../test/support/environment';

// Node.js would take `FormCollection.node` for the JSON file of that name, before the TypeScript file.
const { '.json': json } = require.extensions;
delete require.extensions['.json'];
require.extensions['.json'] = json;
