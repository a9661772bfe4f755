import { writeFile } from 'node:fs/promises';
import { ApiServer } from 'orch-apiserver';
import { listen } from 'orch-apiserver/node';
import { sites } from './controller.js';
import { Site } from './site.js';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

// kubectl needs the names of this dialect. The state is in memory: with the option `storage` it stays.
await using server = new ApiServer({ dialect: 'kubernetes', resources: [Site] });
const listener = await listen(server, { tls: 'generated', port: Number(process.env['PORT'] ?? 6443) });
await writeFile('kubeconfig', listener.kubeConfig(), { mode: 0o600 });
console.log(`serving on ${listener.url}; try: kubectl --kubeconfig=kubeconfig get sites`);

await sites.run({ client: server.client(), signal: stop.signal });
// Watches end with the server, so the listener closes without waiting.
await server.close();
await listener.close();
