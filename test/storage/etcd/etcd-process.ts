import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openEtcdStorage, type EtcdStorageOptions } from '../../../src/storage/etcd/index.js';
import { systemClock } from '../../../src/foundation/index.js';
import type { Storage } from '../../../src/storage/storage.js';
import { DATA_FOLDER } from '../../support/data-folder.js';
import { exitOf, isRunning, pidOf } from '../../support/running-child.js';

/** Version of the installed etcd; undefined if there is none. */
export const etcdVersion = installed();

function installed(): string | undefined {
  try {
    execFileSync('etcdctl', ['version'], { stdio: 'ignore' });
    return /etcd Version: (\S+)/.exec(execFileSync('etcd', ['--version'], { encoding: 'utf8' }))?.[1];
  } catch {
    return undefined;
  }
}

/**
 * Flags of a process that is its own cluster. It elects itself after its election timeout, a second by default, and answers
 * nothing before. Nobody else could lead, so a short timeout costs nothing on a busy machine either.
 */
const ALONE = ['--heartbeat-interval', '10', '--election-timeout', '100'];

/** Options of an etcd process, besides the addresses. */
export interface EtcdProcessOptions {
  readonly flags?: readonly string[];
  /** Folder within which that of its data is made. */
  readonly within?: string | undefined;
  readonly tls?: { readonly caFile: string; readonly certFile: string; readonly keyFile: string };
}

/** A separate etcd process, in a temporary directory and on free ports of the loopback interface. */
export class EtcdProcess {
  readonly url: string;
  readonly port: number;
  /** Directory of its data. */
  readonly folder: string;
  readonly #peerUrl: string;
  /** URLs of all members of its cluster. */
  #peerUrls: readonly string[];
  readonly #options: EtcdProcessOptions;
  #child: ChildProcess | undefined;
  /** The end of its log, when it ended though nobody ended it. */
  #ownEnd: string | undefined;

  private constructor(folder: string, [port, peerPort]: readonly [number, number], options: EtcdProcessOptions) {
    this.folder = folder;
    this.#options = options;
    this.port = port;
    this.#peerUrl = `http://127.0.0.1:${peerPort}`;
    this.#peerUrls = [this.#peerUrl];
    this.url = `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  }

  static async start(options: EtcdProcessOptions = {}): Promise<EtcdProcess> {
    const folder = await mkdtemp(join(options.within ?? DATA_FOLDER, 'etcd-test-'));
    const etcd = new EtcdProcess(folder, await freePorts(), options);
    await etcd.start();
    return etcd;
  }

  /** Members of one cluster. */
  static async startCluster(size: number): Promise<readonly EtcdProcess[]> {
    const members: EtcdProcess[] = [];
    for (let count = 0; count < size; count += 1)
      members.push(new EtcdProcess(await mkdtemp(join(DATA_FOLDER, 'etcd-test-')), await freePorts(), { flags: [] }));
    for (const member of members) member.#peerUrls = members.map((each) => each.#peerUrl);
    await Promise.all(members.map((member) => member.start()));
    return members;
  }

  /** Starts it on its existing data. Resolves once it accepts requests. */
  async start(): Promise<void> {
    const [peer, cluster] = [this.#peerUrl, this.#peerUrls.map((url) => `${new URL(url).port}=${url}`).join()];
    const { tls, flags = [] } = this.#options;
    const child = spawn(
      'etcd',
      [
        '--name',
        new URL(peer).port,
        '--data-dir',
        join(this.folder, 'data'),
        '--logger',
        'zap',
        '--log-outputs',
        'stderr',
        '--listen-client-urls',
        this.url,
        '--advertise-client-urls',
        this.url,
        '--listen-peer-urls',
        peer,
        '--initial-advertise-peer-urls',
        peer,
        '--initial-cluster',
        cluster,
        ...(this.#peerUrls.length === 1 ? ALONE : []),
        ...(tls === undefined
          ? []
          : [
              '--client-cert-auth',
              '--trusted-ca-file',
              tls.caFile,
              '--cert-file',
              tls.certFile,
              '--key-file',
              tls.keyFile,
            ]),
        ...flags,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env['PATH'] ?? '' } },
    );
    this.#child = child;
    this.#ownEnd = undefined;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk: Buffer) => {
        log = (log + chunk.toString()).slice(-20_000);
        if (log.includes('serving client traffic')) resolve();
      });
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        const end = `etcd ended with ${code ?? signal}: ${log.slice(-2_000)}`;
        if (this.#child === child) this.#ownEnd = end;
        reject(new Error(end));
      });
    });
  }

  /** The number of the process. @throws Error when it does not run */
  get pid(): number {
    return pidOf(this.#child, 'etcd');
  }

  /** Whether the process runs. */
  get isRunning(): boolean {
    return isRunning(this.#child);
  }

  /** Resolves when the process has ended. */
  exit(): Promise<void> {
    return exitOf(this.#child);
  }

  /** Ends it with a signal. Its data remains. */
  async end(signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT' = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!isRunning(child)) return;
    const exit = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill(signal);
    await exit;
  }

  /** Pauses it. Returns when all its threads have stopped: until then it may answer. */
  pause(): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    process.kill(pid, 'SIGSTOP');
    while (!isStopped(pid));
  }

  /** Resumes it. */
  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Raises the alarm `NOSPACE`, as it does itself when a write exceeds its quota: it refuses writes until that is ended. */
  async raiseNoSpace(): Promise<void> {
    await this.#post('/v3/maintenance/alarm', { action: 'ACTIVATE', memberID: '0', alarm: 'NOSPACE' });
  }

  /** Makes it write, after all that it wrote before: a lease, which has no revision. @throws Error when it refuses */
  async write(): Promise<void> {
    await this.#post('/v3/lease/grant', { TTL: '60' });
  }

  /** Makes its file larger by a megabyte, without a revision: by a permission of a role. @throws Error when it refuses */
  async grow(): Promise<void> {
    const name = randomUUID();
    await this.#post('/v3/auth/role/add', { name });
    await this.#post('/v3/auth/role/grant', { name, perm: { key: Buffer.alloc(1 << 20, name).toString('base64') } });
  }

  /** Runs etcdctl on it. @returns its output */
  ctl(args: readonly string[], input?: string): string {
    const tls = this.#options.tls;
    const files = tls === undefined ? [] : ['--cacert', tls.caFile, '--cert', tls.certFile, '--key', tls.keyFile];
    return execFileSync('etcdctl', ['--endpoints', this.url, ...files, ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', ETCDCTL_API: '3' },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(input === undefined ? {} : { input }),
    });
  }

  /** Ends it and removes its data. @throws Error when it ended before, though nobody ended it: tests that wait for it cannot say so */
  async remove(): Promise<void> {
    await this.end('SIGKILL');
    await rm(this.folder, { recursive: true, force: true });
    if (this.#ownEnd !== undefined) throw new Error(this.#ownEnd);
  }

  async #post(path: string, body: object): Promise<void> {
    const answer = await fetch(`${this.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd answered ${answer.status}: ${await answer.text()}`);
  }

  /** Opens a store in it. */
  open(options: Partial<EtcdStorageOptions> = {}): Promise<Storage> {
    return openEtcdStorage({ endpoints: [this.url], clock: systemClock, compactionInterval: 0, ...options });
  }
}

/** Two unused ports. */
export async function freePorts(): Promise<readonly [number, number]> {
  const servers = [createServer(), createServer()] as const;
  const ports: number[] = [];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ports.push((server.address() as AddressInfo).port);
  }
  for (const server of servers) {
    server.close();
    await once(server, 'close');
  }
  return [ports[0] ?? 0, ports[1] ?? 0];
}

/** Resolves when the watches of a store receive a write made through another one. */
export async function feedRuns(storage: Storage, writer: Storage): Promise<void> {
  const from = await writer.currentRevision();
  await new Promise<void>((resolve, reject) => {
    const watch = storage.watch('/registry/warm-', from, {
      events: () => done(),
      progress: () => undefined,
      end: (reason) => reject(new Error(reason.kind)),
    });
    const done = (): void => {
      watch.stop();
      resolve();
    };
    writer.create(`/registry/warm-${from}`, () => '{}').catch(reject);
  });
}

/** Returns whether every thread of a process is stopped (proc(5): the state after the name in parentheses). */
function isStopped(pid: number): boolean {
  const threads = `/proc/${pid}/task`;
  return readdirSync(threads).every((thread) =>
    /\) T [^)]*$/.test(readFileSync(`${threads}/${thread}/stat`, 'latin1')),
  );
}
