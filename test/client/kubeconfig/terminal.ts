/** Reads credentials from the terminal that it runs in, and prints the result. Arguments: the configuration file. */
import { createConnection, loadKubeConfig } from '../../../src/client/kubeconfig/index.js';

const [explicitPath = ''] = process.argv.slice(2);
const connection = await createConnection(await loadKubeConfig({ explicitPath }), {
  http: (request) => {
    process.stdout.write(`sent ${request.headers?.['authorization']}\n`);
    return Promise.resolve({ status: 200, header: () => undefined, body: new Uint8Array() });
  },
});
await connection.request();
