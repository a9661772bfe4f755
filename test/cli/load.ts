import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { EtcdProcess, etcdVersion } from '../storage/etcd/etcd-process.js';
import { PostgresProcess, postgresPrograms } from '../storage/postgres/postgres-process.js';

/** The credentials of the clients, which a file of tokens has to name. */
const TOKEN = { authorization: 'Bearer secret' };
/** The content of such a file. */
export const TOKENS = 'secret,admin,1,system:masters\n';
/** Path of the objects that the clients write. */
export const MAPS = '/api/v1/namespaces/default/configmaps';

/**
 * Pause of a client between two objects. Clients without one only keep processors busy while the servers wait for the time
 * that they give a balancer.
 */
const PAUSE_MS = 10;

/** Returns whether a server is ready, for a balancer. */
export async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.ok === true;
}

/** An answer, as far as the clients look at it. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A client with one connection at a time, which it keeps as long as the server lets it. It repeats nothing. */
export class LoadClient {
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
export class Load {
  readonly created: string[] = [];
  readonly failures: string[] = [];
  readonly #clients: LoadClient[] = [];
  readonly #prefix: string;
  readonly #loops: Promise<void>[] = [];
  #isOver = false;

  /** @param prefix of the names of the objects, after `load-` */
  constructor(url: string, writers: number, prefix = 'of') {
    this.#prefix = prefix;
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
      const name = `load-${this.#prefix}-${number}-${round}`;
      await this.#expect(client, 201, 'POST', MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
      this.created.push(name);
      // Through whichever server the connection leads to.
      await this.#expect(client, 200, 'GET', `${MAPS}/${name}`);
      await pause(PAUSE_MS);
    }
  }

  async #expect(client: LoadClient, status: number, method: string, path: string, body?: object): Promise<void> {
    const answer = await client.ask(method, path, body);
    if (answer.status !== status) this.failures.push(`${method} ${path}: ${answer.status} ${answer.text}`);
  }
}

/** A client that watches config maps, and goes on where it was when its watch ends. */
export class Watcher {
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
      .poll(() => this.problems.length > 0 || this.seen.length >= names.length, { timeout: 60_000 })
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

/** A database that several servers can share, in a process of its own. */
export interface Database {
  /** The flags that name it. */
  readonly flags: string[];
  remove(): Promise<void>;
}

/** The databases that several servers can share. */
export const databases: readonly {
  readonly engine: string;
  readonly isMissing: boolean;
  readonly start: () => Promise<Database>;
}[] = [
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
];
