import { alwaysAllow } from '../../src/security/authz/index.js';
import { InProcessBackend } from '../../src/client/in-process/in-process-backend.js';
import { Client } from '../../src/entries/client.js';
import { orch } from '../../src/foundation/index.js';
import { ConfigMap, Namespace } from '../../src/kinds/builtin/index.js';
import { Catalogue } from '../../src/registry/definition/catalogue.js';
import { FeatureGates } from '../../src/server/settings/feature-gates.js';
import { GenericServer } from '../../src/server/generic-server.js';
import { silentLogger } from '../../src/foundation/reporting/logger.js';
import { Metrics } from '../../src/server/metrics/metrics.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { createRegistry } from '../registry/registry.js';
import { createManualClock, seededEntropy, type ManualClock } from '../../src/entries/testing.js';

const OWNER = { username: 'owner', groups: [] };

/** A server with access to its internals, and a client of it. */
export interface OpenServer {
  readonly client: Client;
  readonly clock: ManualClock;
  /** Watchers of config maps registered in the log. */
  watchers(): Promise<number>;
  close(): Promise<void>;
}

export function openServer(): OpenServer {
  const clock = createManualClock();
  const entropy = seededEntropy('watchers');
  const { environment } = createRegistry({ dialect: orch, clock, storage: createMemoryStorage({ clock }) });
  const server: GenericServer = new GenericServer({
    catalogue: new Catalogue([Namespace, ConfigMap], environment),
    entropy,
    metrics: new Metrics(),
    admission: [],
    started: () => undefined,
    prepare: () => undefined,
    performers: new Map(),
    connectHandlers: {},
    client: (): Client => client,
    observers: new Map(),
    apiAudiences: [],
    documents: new Map(),
    authenticator: () => undefined,
    authorizer: alwaysAllow,
    featureGates: FeatureGates.from({}),
    limits: {
      bodyBytes: 1000,
      bodyContainers: 1000,
      inFlight: {},
      watches: {},
      requestTimeoutMs: 60_000,
      requestCpuMs: 0,
      conversionAnswerBytes: 1024,
      definitions: {},
      minWatchMs: 60_000,
      watchHistoryMs: 300_000,
      watchHistoryEvents: 1000,
      historyBytes: 16 * 1024 * 1024,
      encodingBytes: 0,
      memoryBytes: 1024 * 1024 * 1024,
      objectsTextBytes: 0,
      bookmarkIntervalMs: 60_000,
      revisionWaitMs: 3000,
      closeTimeoutMs: 30_000,
    },
    livezGracePeriodMs: 0,
    version: {},
    release: '1.31',
    logger: silentLogger,
    serverAddress: () => 'localhost',
  });
  const backend = new InProcessBackend({
    started: () => undefined,
    operationsOf: (definition) => server.operationsOf(definition),
    operationsOfKind: (reference) => server.operationsOfKind(reference),
    dialect: orch,
    clock: () => clock,
    owner: OWNER,
    authorize: () => Promise.resolve(),
    bounded: (answer) => answer,
    openLog: () => Promise.resolve(undefined),
    openProxy: () => Promise.reject(new Error('there are no proxies here')),
    openStreams: () => Promise.reject(new Error('there are no streams here')),
    keepAlive: () => ({ hold: () => undefined, release: () => undefined, end: () => undefined }),
    context: (user, fieldManager, warn, signal) => server.context(user, fieldManager, warn, signal),
  });
  const client: Client = new Client(backend);
  return {
    client,
    clock,
    watchers: async () => (await server.operationsOf(ConfigMap).store.watchLog())?.watchers.size ?? 0,
    close: () => server.shutdown(),
  };
}
