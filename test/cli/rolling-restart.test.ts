import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TcpBalancer } from '../../examples/three-servers/balancer.js';
import { databases, isReady, Load, LoadClient, MAPS, TOKENS, Watcher, type Answer, type Database } from './load.js';
import { plain, runningHost, ServingTests, type Serving } from './serving.js';

const tests = new ServingTests();

for (const { engine, isMissing, start } of databases)
  describe.skipIf(isMissing)(`three servers on ${engine} behind a balancer`, () => {
    let database: Database;
    let balancer: TcpBalancer;
    const address = (): string => `http://127.0.0.1:${balancer.port}`;
    const servers: Serving[] = [];
    let started = 0;
    beforeAll(async () => {
      database = await start();
    });
    afterAll(() => database.remove());
    beforeEach(async () => {
      balancer = await TcpBalancer.start(isReady);
    });
    afterEach(async () => {
      for (const server of servers.splice(0)) await end(server);
      await balancer.close();
    });

    async function startServer(): Promise<Serving> {
      const tokens = await tests.file('tokens.csv', TOKENS);
      return tests.start(
        [
          ...plain,
          ...database.flags,
          '--dialect=kubernetes',
          '--anonymous-auth=true',
          '--shutdown-delay-duration=5s',
          '--shutdown-watch-termination-grace-period=500ms',
          `--token-auth-file=${tokens}`,
          `--kubeconfig-out=${tests.directory}/orch/kubeconfig-${(started += 1)}`,
        ],
        runningHost(),
      );
    }

    /** Ends a server in order. @param meanwhile what happens while it still serves */
    async function end(server: Serving, meanwhile: () => Promise<void> = async () => undefined): Promise<void> {
      server.host.signal('SIGTERM');
      await server.host.logged('ending');
      await meanwhile();
      // The rest takes its own time: if a test let time pass, it could pass faster than the database answers.
      await server.host.clock.advance(5_000);
      expect(await server.ended).toBe(0);
    }

    /** Ends a server as the balancer and the load notice it. */
    async function drain(server: Serving, load: Load): Promise<void> {
      await end(server, async () => {
        expect(await balancer.check()).not.toContain(server.http);
        await load.moved();
      });
      balancer.remove(server.http);
    }

    const ask = async (path: string): Promise<Answer> => {
      const client = new LoadClient(address(), false);
      try {
        return await client.ask('GET', path);
      } finally {
        client.close();
      }
    };

    test('are replaced one by one under load without a failed request or a lost event', async () => {
      for (let count = 0; count < 3; count += 1) {
        const server = await startServer();
        servers.push(server);
        balancer.add(server.http);
      }
      expect(await balancer.check()).toHaveLength(3);
      const { metadata } = JSON.parse((await ask(MAPS)).text) as { metadata: { resourceVersion: string } };
      const watchers = [0, 1, 2].map(() => new Watcher(address(), metadata.resourceVersion));
      const load = new Load(address(), 4);
      await load.moved();
      for (const former of [...servers]) {
        await drain(former, load);
        const next = await startServer();
        servers.push(next);
        balancer.add(next.http);
        expect(await balancer.check()).toHaveLength(3);
        await load.moved();
      }
      await load.stop();
      expect(load.failures).toEqual([]);
      const listed = JSON.parse((await ask(MAPS)).text) as { items: { metadata: { name: string } }[] };
      const names = listed.items.map((item) => item.metadata.name).filter((name) => name.startsWith('load-'));
      expect(names.sort()).toEqual([...load.created].sort());
      for (const watcher of watchers) {
        await watcher.until(load.created);
        expect(watcher.problems).toEqual([]);
        expect([...watcher.seen].sort()).toEqual([...load.created].sort());
        expect(watcher.resumed).toBeGreaterThan(0);
      }

      // Servers that have ended in order leave no sign of life behind.
      const leases = JSON.parse(
        (
          await ask(
            '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases?labelSelector=apiserver.kubernetes.io/identity',
          )
        ).text,
      ) as { items: { metadata: { labels: Record<string, string> } }[] };
      expect(leases.items).toHaveLength(3);
    }, 300_000);
  });
