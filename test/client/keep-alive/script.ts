/** A plain script: only the server keeps the process alive. Its argument selects the operation that it awaits. */
import { ApiServer, ConfigMap } from '../../../src/entries/index.js';
import { connect, type ConnectOptions } from '../../../src/entries/client.js';
import { createController, Informer } from '../../../src/entries/controllers.js';
import { Lease } from '../../../src/kinds/index.js';
import { ApiError, systemClock } from '../../../src/foundation/index.js';

const [, , name = ''] = process.argv;
const server = new ApiServer({
  // The other requests take the time that the machine needs.
  limits: { revisionWait: 100, ...(name === 'a request that hangs' ? { requestTimeout: 200 } : {}) },
  admission: {
    plugins: [
      {
        name: 'Hangs',
        operations: ['CREATE'],
        validate: ({ name }) => (name === 'hang' ? new Promise<never>(() => undefined) : undefined),
      },
    ],
  },
});
const maps = server.client().resource(ConfigMap).namespace('default');
/** The clock's timers alone do not keep a process alive. */
const later = (act: () => void): void => void systemClock.after(100, act);
const codeOf = (error: unknown): string => (error instanceof ApiError ? String(error.code) : String(error));

/** Returns a client of a server that cannot be reached the first time, and then has no ConfigMaps. */
async function remoteMaps(options: ConnectOptions) {
  let requests = 0;
  const fetch = (): Promise<Response> => {
    requests += 1;
    if (requests === 1) throw Object.assign(new Error('no server'), { code: 'ECONNREFUSED' });
    return Promise.resolve(Response.json({ kind: 'ConfigMapList', metadata: { resourceVersion: '1' }, items: [] }));
  };
  const client = await connect({ url: 'http://127.0.0.1', fetch }, options);
  return client.resource(ConfigMap).namespace('default');
}

const idle = createController({ name: 'idle', kind: ConfigMap, reconcile: () => Promise.resolve() });

const cases: Readonly<Record<string, () => Promise<unknown>>> = {
  'a watch, until an event': async () => {
    later(() => void maps.create({ metadata: { name: 'a' } }));
    for await (const { type, object } of maps.watch({ fieldSelector: 'metadata.name=a' }))
      if (type === 'ADDED') return `${type} ${object.metadata.name}`;
    return 'over';
  },
  'a watch, until its time is out': async () => {
    for await (const { type } of maps.watch({ timeoutSeconds: 0.1, fieldSelector: 'metadata.name=a' })) return type;
    return 'over';
  },
  'a watch, until the server closes': async () => {
    await maps.create({ metadata: { name: 'a' } });
    for await (const { type } of maps.watch({ fieldSelector: 'metadata.name=a' })) {
      if (type !== 'ADDED') return type;
      later(() => void server.close());
    }
    return 'over';
  },
  'a get at a version of the future': () => maps.get('a', { resourceVersion: '1000' }).catch(codeOf),
  'a list at a version of the future': () => maps.list({ resourceVersion: '1000' }).catch(codeOf),
  'initial events at a version of the future': async () => {
    const strict = new ApiServer({ featureGates: { WatchList: true }, limits: { revisionWait: 100 } })
      .client()
      .resource(ConfigMap);
    for await (const { type } of strict.watch({
      resourceVersion: '1000',
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
    }))
      return type;
    return 'over';
  },
  'a request that hangs': () => maps.create({ metadata: { name: 'hang' } }).catch(codeOf),
  'a watch in the background': async () => {
    for await (const { type } of maps.watch({ keepAlive: false, fieldSelector: 'metadata.name=a' })) return type;
    return 'over';
  },
  'a request that is sent again': async () => {
    const { items } = await (await remoteMaps({ retry: { first: 100 } })).list();
    return items.length;
  },
  'a request beyond the rate': async () => {
    const maps = await remoteMaps({ retry: false, limit: { perSecond: 10, burst: 1 } });
    await maps.list().catch(() => undefined);
    return (await maps.list()).items.length;
  },
  'following a server that was away': async () => {
    for await (const { type } of (await remoteMaps({ retry: false })).follow({ onError: () => undefined })) return type;
    return 'over';
  },
  'following in the background': async () => {
    const fetch = (): never => {
      throw new Error('no server');
    };
    const client = await connect({ url: 'http://127.0.0.1', fetch }, { retry: false });
    const maps = client.resource(ConfigMap);
    for await (const { type } of maps.follow({ keepAlive: false, onError: () => undefined })) return type;
    return 'over';
  },
  'a controller, until it is stopped': async () => {
    const stop = new AbortController();
    later(() => stop.abort());
    await idle.run({ client: server.client(), signal: stop.signal });
    return 'stopped';
  },
  'a candidate that waits for the lead': async () => {
    const stop = new AbortController();
    const client = server.client();
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    await client
      .resource(Lease)
      .namespace('default')
      .create({
        metadata: { name: 'lead' },
        spec: { holderIdentity: 'another', leaseDurationSeconds: 3600, renewTime },
      });
    later(() => stop.abort());
    await idle.run({ client, signal: stop.signal, leaderElection: { lease: 'lead' } });
    return 'stopped';
  },
  'a controller whose server is closed': async () => {
    later(() => void server.close());
    await idle.run({ client: server.client() });
    return 'stopped';
  },
  'an idle server': async () => (await maps.create({ metadata: { name: 'a' } })).metadata.name,
  'a watch that nobody reads': async () => {
    await maps.create({ metadata: { name: 'a' } });
    return (await maps.watch({ fieldSelector: 'metadata.name=a' }).next()).value?.type;
  },
  'an informer': async () => {
    const informer = new Informer({ source: maps, clock: systemClock });
    informer.start();
    await informer.synced();
    return 'synced';
  },
};
console.log(await cases[name]?.());
