/** A plain script: only the server keeps the process alive. Its argument selects the operation that it awaits. */
import { ApiServer, ConfigMap } from '../../../src/entries/index.js';
import { Informer } from '../../../src/entries/controllers.js';
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
