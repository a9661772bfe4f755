import { Agent, request } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TcpBalancer } from '../../examples/three-servers/balancer.js';
import { EtcdProcess, etcdVersion } from '../storage/etcd/etcd-process.js';
import { PostgresProcess, postgresPrograms } from '../storage/postgres/postgres-process.js';
import { plain, runningHost, ServingTests, type Serving } from './serving.js';

const tests = new ServingTests();
const TOKEN = { authorization: 'Bearer secret' };
const MAPS = '/api/v1/namespaces/default/configmaps';

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.ok === true;
}

/** An answer, as far as the clients look at it. */
interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A client with one connection at a time, which it keeps as long as the server lets it. It repeats nothing. */
class LoadClient {
  readonly #url: string;
  readonly #agent: Agent;
  answered = 0;

  /** @param keepAlive a server cannot announce the end of a connection in an answer that it has begun, as a watch is */
  constructor(url: string, keepAlive: boolean) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive, maxSockets: 1 });
  }

  ask(method: string, path: string, body?: object, read: (text: string) => void = () => undefined): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request(
        this.#url + path,
        { method, agent: this.#agent, headers: { ...TOKEN, 'content-type': 'application/json' } },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8');
          answer.on('data', (piece: string) => {
            text += piece;
            read(piece);
          });
          answer.on('error', reject);
          answer.on('end', () => {
            this.answered += 1;
            resolve({ status: answer.statusCode ?? 0, text });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Clients that write until they are told to stop, and their failures. */
class Load {
  readonly created: string[] = [];
  readonly failures: string[] = [];
  readonly #clients: LoadClient[] = [];
  readonly #loops: Promise<void>[] = [];
  #isOver = false;

  constructor(url: string, writers: number) {
    for (let number = 0; number < writers; number += 1) {
      const client = new LoadClient(url, true);
      this.#clients.push(client);
      this.#loops.push(this.#write(client, number).catch((error: unknown) => void this.failures.push(String(error))));
    }
  }

  /** Resolves when every client has had some more answers, or when one has failed. */
  async moved(answers = 4): Promise<void> {
    const goals = this.#clients.map((client) => client.answered + answers);
    await expect
      .poll(() => this.failures.length > 0 || this.#clients.every(({ answered }, at) => answered >= (goals[at] ?? 0)), {
        timeout: 60_000,
      })
      .toBe(true);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
    for (const client of this.#clients) client.close();
  }

  async #write(client: LoadClient, number: number): Promise<void> {
    for (let round = 0; !this.#isOver && this.failures.length === 0; round += 1) {
      const name = `load-${number}-${round}`;
      await this.#expect(client, 201, 'POST', MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
      this.created.push(name);
      // Through whichever server the connection leads to.
      await this.#expect(client, 200, 'GET', `${MAPS}/${name}`);
    }
  }

  async #expect(client: LoadClient, status: number, method: string, path: string, body?: object): Promise<void> {
    const answer = await client.ask(method, path, body);
    if (answer.status !== status) this.failures.push(`${method} ${path}: ${answer.status} ${answer.text}`);
  }
}

/** A client that watches config maps, and goes on where it was when its watch ends. */
class Watcher {
  readonly seen: string[] = [];
  readonly problems: string[] = [];
  resumed = 0;
  readonly #client: LoadClient;
  #version: string;
  readonly #over: Promise<void>;
  #isOver = false;

  constructor(url: string, version: string) {
    this.#client = new LoadClient(url, false);
    this.#version = version;
    this.#over = this.#follow();
  }

  /** Ends when it has seen all of these names. */
  async until(names: readonly string[]): Promise<void> {
    await expect
      .poll(() => this.problems.length > 0 || this.seen.length >= names.length, { timeout: 30_000 })
      .toBe(true);
    this.#isOver = true;
    this.#client.close();
    await this.#over;
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      let rest = '';
      const path = `${MAPS}?watch=1&allowWatchBookmarks=true&resourceVersion=${this.#version}`;
      try {
        const answer = await this.#client.ask('GET', path, undefined, (piece) => {
          const lines = (rest + piece).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) this.#learn(line);
        });
        if (answer.status !== 200 || rest !== '') this.problems.push(`${answer.status} with the rest ${rest}`);
      } catch (error) {
        // The test ends it so.
        if (!this.#isOver) this.problems.push(String(error));
        return;
      }
      this.resumed += 1;
    }
  }

  #learn(line: string): void {
    const { type, object } = JSON.parse(line) as {
      type: string;
      object: { metadata: { name?: string; resourceVersion: string } };
    };
    this.#version = object.metadata.resourceVersion;
    if (type === 'ADDED' && object.metadata.name?.startsWith('load-') === true) this.seen.push(object.metadata.name);
    else if (type === 'ERROR') this.problems.push(line);
  }
}

for (const { engine, isMissing, start } of [
  {
    engine: 'etcd',
    isMissing: etcdVersion === undefined,
    start: async () => {
      const etcd = await EtcdProcess.start();
      return { flags: ['--storage=etcd', `--etcd-servers=${etcd.url}`], remove: () => etcd.remove() };
    },
  },
  {
    engine: 'PostgreSQL',
    isMissing: postgresPrograms === undefined,
    start: async () => {
      const postgres = await PostgresProcess.start();
      return { flags: ['--storage=postgres', `--postgres-url=${postgres.url}`], remove: () => postgres.remove() };
    },
  },
])
  describe.skipIf(isMissing)(`three servers on ${engine} behind a balancer`, () => {
    let database: { readonly flags: string[]; remove(): Promise<void> };
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
      const tokens = await tests.file('tokens.csv', 'secret,admin,1,system:masters\n');
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
