import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiServer } from '../../../src/apiserver/api-server.js';
import { createManualClock, type ManualClock } from '../../../src/entries/testing.js';
import { kubernetes } from '../../../src/foundation/index.js';
import { Lease, Pod, ReplicaSet } from '../../../src/kinds/builtin/index.js';
import type { Storage } from '../../../src/storage/storage.js';
import { EtcdProcess, etcdVersion } from '../etcd/etcd-process.js';
import { PostgresProcess, postgresPrograms } from '../postgres/postgres-process.js';

/** A server of a store in another process. */
interface Member {
  readonly server: ApiServer;
  readonly clock: ManualClock;
  readonly errors: unknown[];
}

async function startMember(storage: Storage): Promise<Member> {
  const clock = createManualClock();
  const errors: unknown[] = [];
  const server = new ApiServer({
    dialect: kubernetes,
    clock,
    storage,
    controllers: { enable: ['replicaset'] },
    observability: {
      logger: { info: () => undefined, error: (_message, fields) => void errors.push(fields?.['error']) },
    },
  });
  await server.settled();
  return { server, clock, errors };
}

const createSet = ({ server }: Member, name: string) =>
  server
    .client()
    .resource(ReplicaSet)
    .namespace('default')
    .create({
      metadata: { name },
      spec: {
        replicas: 3,
        selector: { matchLabels: { name } },
        template: { metadata: { labels: { name } }, spec: { containers: [{ name: 'main', image: 'web' }] } },
      },
    });

/** Resolves when the ReplicaSets of a store have their pods, by their own status. */
const complete = ({ server }: Member, name: string) =>
  server
    .client()
    .resource(ReplicaSet)
    .namespace('default')
    .waitFor(name, (set) => set?.status?.replicas === 3);

/** Returns the holder of the Lease of workloads; empty for a Lease without one. */
const leaderOf = async ({ server }: Member): Promise<string> =>
  (await server.client().resource(Lease).namespace('kube-system').get('kube-controller-manager-workloads')).spec
    ?.holderIdentity ?? '';

/**
 * Advances the clock of a member until another one than `former` leads. Requests to a database need real time, which the
 * read of the Lease between the steps takes, too.
 */
async function takeOver(member: Member, former: string): Promise<void> {
  for (;;) {
    const leader = await leaderOf(member);
    if (leader !== '' && leader !== former) return member.server.settled();
    await member.clock.advance(500);
  }
}

const names = async ({ server }: Member): Promise<string[]> =>
  (await server.client().resource(Pod).namespace('default').list()).items.map(({ metadata }) => metadata.name ?? '');

interface StoreProcess {
  open(): Promise<Storage>;
  remove(): Promise<void>;
}

describe.each([
  {
    engine: 'etcd',
    isMissing: etcdVersion === undefined,
    start: async (): Promise<StoreProcess> => {
      const etcd = await EtcdProcess.start();
      return { open: () => etcd.open({ prefix: '/elections' }), remove: () => etcd.remove() };
    },
  },
  {
    engine: 'PostgreSQL',
    isMissing: postgresPrograms === undefined,
    start: async (): Promise<StoreProcess> => {
      const postgres = await PostgresProcess.start();
      return { open: () => postgres.open({ schema: 'elections' }), remove: () => postgres.remove() };
    },
  },
])('two servers on $engine', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('with the default options', () => {
    let store: StoreProcess;
    beforeAll(async () => {
      store = await start();
    });
    afterAll(() => store.remove());

    test('make each pod once, through a takeover by force and one by a release', async () => {
      const one = await startMember(await store.open());
      const two = await startMember(await store.open());
      const first = await leaderOf(two);
      expect(first).not.toBe('');
      await createSet(two, 'a');
      await complete(one, 'a');

      // The clock of the first stands still: it believes that it leads, and its controllers run on.
      await takeOver(two, first);
      const second = await leaderOf(two);
      await createSet(one, 'b');
      await complete(two, 'b');
      await one.server.settled();
      await two.server.settled();
      expect(await names(two)).toHaveLength(6);
      expect(two.errors).toEqual([]);

      // The second releases its Leases, and the first takes them at its next attempt, and works again.
      await two.server.close();
      expect(await leaderOf(one)).toBe('');
      await takeOver(one, second);
      await createSet(one, 'c');
      await complete(one, 'c');
      await one.server.settled();
      expect(await names(one)).toHaveLength(9);
      await one.server.close();
    }, 300_000);
  });
});
