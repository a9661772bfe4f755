/**
 * A server in its own process, which reports the resources it holds: started by `HostedServer` with `--expose-gc`.
 *
 * @module
 */
import { z } from 'zod';
import { ApiServer, defineResource } from '../../../src/entries/index.js';
import { WatchLog } from '../../../src/registry/watch/watch-log.js';
import { listen } from '../../../src/transport/node/index.js';
import type { Holdings } from './hosted-server.js';

/** A kind that keeps every field. */
const Box = defineResource({
  group: 'bad.example',
  version: 'v1',
  kind: 'Box',
  plural: 'boxes',
  scope: 'Namespaced',
  schema: () => z.object({ spec: z.unknown().optional() }),
});

const logs: WatchLog[] = [];
const open = WatchLog.open.bind(WatchLog);
WatchLog.open = async (options) => {
  const log = await open(options);
  logs.push(log);
  return log;
};

const failures: string[] = [];
process.on('uncaughtException', (error) => failures.push(`uncaught: ${error.stack ?? error.message}`));
process.on('unhandledRejection', (reason) => failures.push(`unhandled: ${String(reason)}`));

const server = new ApiServer({
  dialect: 'kubernetes',
  resources: [Box],
  authentication: { tokens: [{ token: 'admin-token', user: { username: 'admin', groups: ['system:masters'] } }] },
  observability: {
    logger: {
      info: () => undefined,
      error: (message, facts) =>
        failures.push(
          `${message}: ${String(facts?.['error'] instanceof Error ? facts['error'].stack : JSON.stringify(facts))}`,
        ),
    },
  },
});
const listener = await listen(server, { timeouts: { headers: 400, request: 800 } });
// Its own service and lease begin with the listener.
await server.settled();

function holdings(): Holdings {
  return {
    watchers: logs.reduce((sum, log) => sum + log.watchers.size, 0),
    connections: listener.connections,
    failures: failures.splice(0),
  };
}

process.on('message', (question) => {
  if (question === 'holdings') process.send?.(holdings());
  if (question === 'heap') {
    globalThis.gc?.();
    process.send?.(process.memoryUsage().heapUsed);
  }
  if (question === 'end') process.exit(0);
});
process.send?.({ port: listener.address.port });
