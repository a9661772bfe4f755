/**
 * Use 3 in code: a server on a TLS port with a kubeconfig for kubectl. `orch-apiserver serve` does the same with flags.
 *
 * ```
 * kubectl --kubeconfig PRINTED_PATH get namespaces
 * ```
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer } from 'orch-apiserver';
import { listen, loadOrCreateServingCertificate } from 'orch-apiserver/node';

const directory = await mkdtemp(join(tmpdir(), 'orch-apiserver-'));
const { caPem, certPem, keyPem } = await loadOrCreateServingCertificate(directory, {
  names: ['localhost'],
  addresses: ['127.0.0.1'],
});

// kubectl needs the names of this dialect.
const server = new ApiServer({ dialect: 'kubernetes' });
const listener = await listen(server, { port: Number(process.env['PORT'] ?? 0), tls: { cert: certPem, key: keyPem } });

const kubeConfig = join(directory, 'kubeconfig');
await writeFile(kubeConfig, server.kubeConfig({ server: listener.url, certificateAuthority: caPem }), { mode: 0o600 });
console.log(`kubeconfig in ${kubeConfig}`);

await Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
// Watches end with the server, so the listener closes without waiting.
await server.close();
await listener.close();
await rm(directory, { recursive: true });
