import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { parse } from 'yaml';
import { run } from '../../src/cli/run.js';
import { systemClock, type UserInfo } from '../../src/foundation/index.js';
import { createRunningClock } from '../../src/testing/time/running-clock.js';
import { http1Fetch } from '../transport/support/node-fetch.js';
import { DATA_FOLDER } from '../support/data-folder.js';
import { createFakeHost, type FakeHost } from './fake-host.js';

/** The fields of the administrator's kubeconfig that the tests read. */
export interface OwnerConfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data'?: string };
  }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

/** A running server, with its administrator's credentials. */
export interface Serving {
  readonly host: FakeHost;
  /** Path of the kubeconfig. */
  readonly path: string;
  readonly urls: readonly string[];
  /** URL of the plain HTTP port. */
  readonly http: string;
  /** URL of the secure port. */
  readonly https: string;
  readonly kubeconfig: OwnerConfig;
  readonly token: string;
  readonly authorization: { readonly authorization: string };
  readonly ended: Promise<number>;
}

/** A host at the current time, like clients that check a certificate. */
export const today = (): FakeHost => createFakeHost({ startMs: systemClock.now() });

/**
 * A host whose time passes. A read from a store in another process waits, by the clock of the host, for writes that it
 * has no event of, such as those of another store in the same etcd.
 */
export const runningHost = (): FakeHost => createFakeHost({ clock: createRunningClock(systemClock) });

/** Ends a server as a signal does. @returns the exit code */
export async function stop({ host, ended }: Pick<Serving, 'host' | 'ended'>): Promise<number> {
  host.signal('SIGTERM');
  await host.logged('ending');
  await host.clock.advance(0);
  return ended;
}

/** The credentials of a client over TLS. */
export interface ClientTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** The user that a server derives for a request: as the review says, or the status if it fails. */
export async function whoami(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  tls: ClientTls = {},
): Promise<UserInfo | number> {
  const send = http1Fetch(tls);
  try {
    const answer = await send(`${url}/apis/authentication.orch.io/v1/selfsubjectreviews`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    });
    return answer.status === 201
      ? ((await answer.json()) as { status: { userInfo: UserInfo } }).status.userInfo
      : answer.status;
  } finally {
    send.close();
  }
}

/** The same for a bearer token. */
export const userOfToken = (url: string, token: string): Promise<UserInfo | number> =>
  whoami(url, { authorization: `Bearer ${token}` });

/** Authority of the secure port, from the administrator's kubeconfig. */
export const authorityOf = ({ kubeconfig }: Serving): string =>
  Buffer.from(kubeconfig.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64').toString();

/** Sends a request as the administrator, over the plain HTTP port. @returns the answer; rejects if it is not a success */
export async function asOwner<Answer = unknown>(
  { http, authorization }: Serving,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const answer = await fetch(http + path, {
    method,
    headers: { ...authorization, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

/** Flags of a server without TLS. */
export const plain = ['--secure-port=0'];

/** A directory for each test of a file, and servers that are stopped when the test ends. */
export class ServingTests {
  directory = '';
  #running: Serving[] = [];

  constructor() {
    beforeEach(async () => {
      this.directory = await mkdtemp(join(DATA_FOLDER, 'cli-serve-'));
    });
    afterEach(async () => {
      for (const serving of this.#running.splice(0)) await Promise.race([serving.ended, stop(serving)]);
      await rm(this.directory, { recursive: true });
    });
  }

  /** Writes a file of the test; returns its path. */
  async file(name: string, content: string): Promise<string> {
    const path = join(this.directory, name);
    await writeFile(path, content);
    return path;
  }

  /** Replaces a file in one step, as careful programs do. */
  async replace(path: string, content: string): Promise<void> {
    await writeFile(`${path}.new`, content);
    await rename(`${path}.new`, path);
  }

  /** Starts a server, in memory unless the flags say otherwise. Rejects if it ends instead. */
  async start(words: readonly string[], host = createFakeHost()): Promise<Serving> {
    const file = join(this.directory, 'orch', 'kubeconfig');
    const storage = words.some((word) => /^--(storage|data-dir)=/.test(word)) ? [] : ['--storage=memory'];
    const ended = run(
      [
        'serve',
        '--insecure-loopback-port=auto',
        `--cert-dir=${this.directory}/pki`,
        `--kubeconfig-out=${file}`,
        ...storage,
        ...words,
      ],
      host,
    );
    const { urls, kubeconfig: path } = (await Promise.race([
      host.logged('serving'),
      ended.then((code) => Promise.reject(new Error(`ended with ${code}: ${host.err()}`))),
    ])) as { urls: string[]; kubeconfig: string };
    const kubeconfig = parse(await readFile(path, 'utf8')) as OwnerConfig;
    const token = kubeconfig.users[0]?.user.token ?? '';
    const serving = {
      host,
      path,
      urls,
      http: urls.at(-1) ?? '',
      https: urls[0] ?? '',
      kubeconfig,
      token,
      ended,
      authorization: { authorization: `Bearer ${token}` },
    };
    this.#running.push(serving);
    return serving;
  }
}
