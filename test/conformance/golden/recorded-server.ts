import { readFileSync } from 'node:fs';
import { ApiServer } from '../../../src/entries/index.js';
import type { Storage } from '../../../src/entries/storage.js';
import { listen } from '../../../src/transport/node/index.js';

interface RecordedUser {
  readonly token: string;
  readonly groups: readonly string[];
}

/**
 * A new server on its own port, with the setup that the recordings assume (README.md beside them, "What the recordings
 * assume").
 *
 * @param storage for its objects; default in memory
 */
export async function startRecordedServer(
  recordings: string,
  storage?: Storage,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const users = JSON.parse(readFileSync(`${recordings}/users.example.json`, 'utf8')) as Record<string, RecordedUser>;
  const server = new ApiServer({
    ...(storage === undefined ? {} : { storage }),
    dialect: 'kubernetes',
    featureGates: { WatchList: true, ClusterTrustBundle: true },
    runtimeConfig: 'certificates.k8s.io/v1alpha1=true',
    authentication: {
      tokens: Object.entries(users).map(([username, { token, groups }]) => ({ token, user: { username, groups } })),
    },
  });
  const listener = await listen(server);
  // In the state of the recorded server: creating the initial objects may take an engine some seconds.
  await server.settled();
  while (!(await fetch(`${listener.url}/readyz`)).ok);
  return {
    url: listener.url,
    [Symbol.asyncDispose]: async () => {
      await listener.close({ grace: 0 });
      await server.close();
    },
  };
}
