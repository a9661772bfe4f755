import { afterEach, expect, test } from 'vitest';
import { ApiServer } from '../../src/apiserver/api-server.js';
import type { ApiServerOptions } from '../../src/apiserver/options/api-server-options.js';
import { createManualClock, type ManualClock } from '../../src/entries/testing.js';
import { decorateStorage, type Storage } from '../../src/entries/storage.js';
import { kubernetes } from '../../src/foundation/index.js';
import { Lease, Pod, ReplicaSet } from '../../src/kinds/builtin/index.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { keptOpenStorage } from '../support/kept-open-storage.js';

/** One of the servers on a store, with a clock of its own. */
interface Member {
  readonly server: ApiServer;
  readonly clock: ManualClock;
  readonly errors: unknown[];
  /** Ends it as when its process dies. */
  readonly halt: () => void;
}

const open: ApiServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function startMember(storage: Storage, controllers: ApiServerOptions['controllers'] = {}): Promise<Member> {
  const clock = createManualClock();
  const errors: unknown[] = [];
  let halt = (): void => undefined;
  const server = new ApiServer({
    dialect: kubernetes,
    clock,
    storage,
    controllers: { leaderElection: true, enable: ['replicaset'], ...controllers },
    interceptor: {
      request: async (_request, next) => void (await next()),
      attach: (attached) => void ({ halt } = attached),
    },
    observability: {
      logger: { info: () => undefined, error: (_message, fields) => void errors.push(fields?.['error']) },
    },
  });
  open.push(server);
  await server.settled();
  return { server, clock, errors, halt: () => halt() };
}

/** Follows the pods that are made in a store: each name once for each time. */
function madePods(storage: Storage): string[] {
  const made: string[] = [];
  storage.watch('/registry/pods/', 0, {
    events: (events) => {
      for (const { type, key } of events) if (type === 'create') made.push(key);
    },
    progress: () => undefined,
    end: () => undefined,
  });
  return made;
}

const labels = { app: 'web' };
const createSet = ({ server }: Member, name: string) =>
  server
    .client()
    .resource(ReplicaSet)
    .namespace('default')
    .create({
      metadata: { name },
      spec: {
        replicas: 3,
        selector: { matchLabels: { ...labels, name } },
        template: {
          metadata: { labels: { ...labels, name } },
          spec: { containers: [{ name: 'main', image: 'web' }] },
        },
      },
    });

const settle = async (...members: readonly Member[]): Promise<void> => {
  for (const { server } of [...members, ...members]) await server.settled();
};

/** Advances the clocks of members together. */
async function advance(members: readonly Member[], ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) for (const { clock } of members) await clock.advance(500);
}

const holdersOf = async ({ server }: Member): Promise<Record<string, string | undefined>> => {
  const { items } = await server.client().resource(Lease).namespace('kube-system').list();
  return Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name ?? '', spec?.holderIdentity]));
};

test('each group of controllers has a Lease, which the first server holds', async () => {
  const storage = keptOpenStorage(createManualClock());
  const one = await startMember(storage);
  const two = await startMember(storage);
  const holders = await holdersOf(two);
  expect(Object.keys(holders).sort()).toEqual(
    ['definitions', 'identity', 'lifecycle', 'quota', 'workloads'].map((group) => `kube-controller-manager-${group}`),
  );
  expect(new Set(Object.values(holders)).size).toBe(1);
  await advance([one, two], 60_000);
  expect(await holdersOf(one)).toEqual(holders);
});

test('the controllers of one server work on what any server writes', async () => {
  const storage = keptOpenStorage(createManualClock());
  const made = madePods(storage);
  const [one, two] = [await startMember(storage), await startMember(storage)];
  await createSet(two, 'second');
  await createSet(one, 'first');
  await settle(one, two);
  expect(made).toHaveLength(6);
  await advance([one, two], 60_000);
  expect(made).toHaveLength(6);
});

test('when the server that runs the controllers dies, another one runs them after the duration of the lease', async () => {
  const storage = keptOpenStorage(createManualClock());
  const made = madePods(storage);
  const [one, two] = [await startMember(storage), await startMember(storage)];
  one.halt();
  await createSet(two, 'web');
  await settle(two);
  await advance([two], 14_500);
  expect(made).toHaveLength(0);
  await advance([two], 5000);
  await settle(two);
  expect(made).toHaveLength(3);
});

test('a server that closes lets another one run the controllers at its next attempt', async () => {
  const storage = keptOpenStorage(createManualClock());
  const made = madePods(storage);
  const [one, two] = [await startMember(storage), await startMember(storage)];
  await createSet(one, 'before');
  await settle(one);
  expect(made).toHaveLength(3);
  await one.server.close();
  expect(Object.values(await holdersOf(two))).toEqual(Array(5).fill(''));
  await createSet(two, 'after');
  await advance([two], 4500);
  await settle(two);
  expect(made).toHaveLength(6);
});

test('a former server that does not know that its term is over writes nothing', async () => {
  const storage = keptOpenStorage(createManualClock());
  const made = madePods(storage);
  const [one, two] = [await startMember(storage), await startMember(storage)];
  await createSet(one, 'first');
  await settle(one, two);
  expect(made).toHaveLength(3);
  // The clock of the first stands still, so it believes that it leads.
  await advance([two], 20_000);
  await settle(two);
  const before = await one.server.client().resource(Pod).namespace('default').list();
  await one.server
    .client()
    .resource(Pod)
    .namespace('default')
    .delete(before.items[0]?.metadata.name ?? '');
  await createSet(one, 'second');
  await settle(one, two);
  expect(made).toHaveLength(7);
  expect(one.errors.map(String)).toContainEqual(expect.stringContaining('another server has taken over'));
  expect(two.errors).toEqual([]);
  // Its next timer tells it.
  await advance([one], 2000);
  await settle(one, two);
  expect(made).toHaveLength(7);
  expect(one.server.busyControllers()).toEqual([]);
});

test('a server takes the controllers again that it has lost, and they work', async () => {
  const storage = keptOpenStorage(createManualClock());
  const made = madePods(storage);
  const [one, two] = [await startMember(storage), await startMember(storage)];
  await advance([two], 20_000);
  await advance([one], 20_000);
  two.halt();
  await advance([one], 20_000);
  await createSet(one, 'web');
  await settle(one);
  expect(made).toHaveLength(3);
});

test('a takeover that is over before its term has begun changes nothing', async () => {
  const inner = keptOpenStorage(createManualClock());
  let isLost = false;
  const storage = decorateStorage(inner, {
    create: async (key, encode, options) => {
      // Somebody else takes the Lease between the takeover and the start of the term.
      if (key === '/internal/terms/workloads' && !isLost) {
        isLost = true;
        const found = await inner.get('/registry/leases/kube-system/kube-controller-manager-workloads');
        const { key: lease = '', text = '', modRevision = 0 } = found.record ?? {};
        await inner.update(
          lease,
          (revision) => text.replace(/"resourceVersion":"\d+"/, `"resourceVersion":"${revision}"`),
          modRevision,
        );
      }
      return inner.create(key, encode, options);
    },
  });
  const made = madePods(inner);
  const one = await startMember(storage);
  expect(isLost).toBe(true);
  await createSet(one, 'web');
  await settle(one);
  expect(made).toHaveLength(0);
  await advance([one], 5000);
  await settle(one);
  expect(made).toHaveLength(3);
});

test('a storage that other processes may write to has elections by default, others have none', async () => {
  const shared = decorateStorage(keptOpenStorage(createManualClock()), { isShared: true });
  const one = await startMember(shared, { leaderElection: undefined });
  expect(Object.keys(await holdersOf(one))).toHaveLength(5);
  const two = await startMember(createMemoryStorage({ clock: createManualClock() }), { leaderElection: undefined });
  expect(Object.keys(await holdersOf(two))).toHaveLength(0);
  const off = await startMember(
    decorateStorage(createMemoryStorage({ clock: createManualClock() }), { isShared: true }),
    {
      leaderElection: false,
    },
  );
  expect(Object.keys(await holdersOf(off))).toHaveLength(0);
});

test('a group without controllers has no Lease', async () => {
  const one = await startMember(keptOpenStorage(createManualClock()), { enable: [], disable: ['resourcequota'] });
  expect(Object.keys(await holdersOf(one)).sort()).toEqual(
    ['definitions', 'identity', 'lifecycle'].map((group) => `kube-controller-manager-${group}`),
  );
});

test('times that contradict each other are refused', () => {
  expect(() => new ApiServer({ controllers: { leaderElection: { leaseDuration: '5s' } } })).toThrow(
    'ApiServer: controllers.leaderElection: leaseDuration must be greater than renewDeadline',
  );
});

test('a server without Leases refuses an election', () => {
  const options = { runtimeConfig: 'coordination.k8s.io/v1=false', dialect: kubernetes };
  expect(() => new ApiServer({ ...options, controllers: { leaderElection: true } })).toThrow(
    'ApiServer: the option controllers.leaderElection needs the kind Lease',
  );
});
