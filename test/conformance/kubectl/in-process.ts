import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiServer, type ApiServerOptions } from '../../../src/entries/index.js';
import { createServingCertificate, listen } from '../../../src/transport/node/index.js';
import { Kubectl } from './kubectl.js';
import { DATA_FOLDER } from '../../support/data-folder.js';

/** A server of this process that the tool can use. */
export interface ServedHere extends AsyncDisposable {
  readonly server: ApiServer;
  readonly kubectl: Kubectl;
}

/** Starts a server in this process, on a free port and with a directory of its own for the tool. */
export async function serveHere(options: ApiServerOptions): Promise<ServedHere> {
  const directory = await mkdtemp(join(DATA_FOLDER, 'orch-kubectl-'));
  const server = new ApiServer(options);
  const { keyPem, certPem, caPem } = await createServingCertificate();
  const listener = await listen(server, { port: 0, tls: { key: keyPem, cert: certPem } });
  const kubeconfig = join(directory, 'kubeconfig.json');
  await writeFile(kubeconfig, server.kubeConfig({ server: listener.url, certificateAuthority: caPem }));
  return {
    server,
    kubectl: new Kubectl({ directory, kubeconfig }),
    async [Symbol.asyncDispose]() {
      await listener.close({ grace: 0 });
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}
