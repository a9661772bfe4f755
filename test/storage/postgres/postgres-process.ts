import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { systemClock } from '../../../src/foundation/index.js';
import { openPostgresStorage, type PostgresStorageOptions } from '../../../src/storage/postgres/index.js';
import type { Storage } from '../../../src/storage/storage.js';
import { DATA_FOLDER } from '../../support/data-folder.js';
import { exitOf, isRunning, pidOf } from '../../support/running-child.js';
import { freePorts } from '../etcd/etcd-process.js';

/** Directory of the programs of the newest PostgreSQL that Debian's packages have installed; undefined if there is none. */
export const postgresPrograms = installed();

function installed(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((left, right) => Number(right) - Number(left)) : [];
  const newest = versions.map((version) => join(root, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
  return newest !== undefined && (process.getuid?.() !== 0 || hasUser()) ? newest : undefined;
}

/** PostgreSQL refuses to run as root; Debian's packages make a user for it. */
function hasUser(): boolean {
  try {
    execFileSync('id', ['-u', 'postgres'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function identity(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const number = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: number('-u'), gid: number('-g') };
}

async function emptyFolder(within = DATA_FOLDER): Promise<string> {
  const folder = await mkdtemp(join(within, 'postgres-test-'));
  const { uid, gid } = identity();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

/** Where a PostgreSQL server keeps its data. */
export interface PostgresFolders {
  /** Folder within which that of its data is made. */
  readonly data?: string | undefined;
  /** Folder within which that of its log of writes (`pg_wal`) is made; with the data by default. */
  readonly log?: string | undefined;
}

/** A separate PostgreSQL server, in a temporary directory and on a free port of the loopback interface. */
export class PostgresProcess {
  readonly url: string;
  readonly #folder: string;
  readonly #logFolder: string | undefined;
  readonly #port: number;
  readonly #flags: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(folder: string, port: number, flags: readonly string[], logFolder?: string) {
    this.#folder = folder;
    this.#logFolder = logFolder;
    this.#port = port;
    this.#flags = flags;
    this.url = `postgres://orch@127.0.0.1:${port}/postgres`;
  }

  /** @param flags settings, as `fsync=on`; by default nothing is synced */
  static async start(
    flags: readonly string[] = ['fsync=off'],
    { data: within, log }: PostgresFolders = {},
  ): Promise<PostgresProcess> {
    const folder = await emptyFolder(within);
    const data = join(folder, 'data');
    const logFolder = log === undefined ? undefined : await emptyFolder(log);
    const apart = logFolder === undefined ? [] : ['-X', logFolder];
    execFileSync(
      join(postgresPrograms ?? '', 'initdb'),
      ['-D', data, '-A', 'trust', '-U', 'orch', '-E', 'UTF8', '--locale=C', '--no-sync', ...apart],
      { ...identity(), stdio: 'ignore', cwd: folder },
    );
    const postgres = new PostgresProcess(folder, (await freePorts())[0], flags, logFolder);
    await postgres.start();
    return postgres;
  }

  /**
   * Starts a standby that follows it by streaming replication.
   *
   * @param name its name in `synchronous_standby_names`
   * @param port its port, as that of a server that it replaces; by default a free one
   */
  async startStandby(name: string, port?: number): Promise<PostgresProcess> {
    const folder = await emptyFolder();
    const source = `host=127.0.0.1 port=${this.#port} user=orch application_name=${name}`;
    execFileSync(
      join(postgresPrograms ?? '', 'pg_basebackup'),
      ['-D', join(folder, 'data'), '-d', source, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'],
      { ...identity(), stdio: 'ignore', cwd: folder },
    );
    const standby = new PostgresProcess(folder, port ?? (await freePorts())[0], this.#flags);
    await standby.start();
    return standby;
  }

  /** Makes the primary wait with each commit until a standby of this name has it. */
  async waitFor(standby: string): Promise<void> {
    await this.run(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
    await this.run('SELECT pg_reload_conf()');
  }

  /** Makes a standby the primary. Resolves when it takes writes. */
  async promote(): Promise<void> {
    await this.run('SELECT pg_promote(true, 60)');
  }

  /** Starts it on its existing data. Resolves once it accepts connections. */
  async start(): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${this.#folder}`, ...this.#flags];
    const child = spawn(
      join(postgresPrograms ?? '', 'postgres'),
      ['-D', join(this.#folder, 'data'), '-p', String(this.#port), ...settings.flatMap((each) => ['-c', each])],
      { ...identity(), stdio: ['ignore', 'ignore', 'pipe'], cwd: this.#folder },
    );
    this.#child = child;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk: Buffer) => {
        log = (log + chunk.toString()).slice(-20_000);
        if (/ready to accept (read-only )?connections/.test(log)) resolve();
      });
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`postgres ended with ${code}: ${log.slice(-2_000)}`)));
    });
  }

  /** The number of its first process. @throws Error when it does not run */
  get pid(): number {
    return pidOf(this.#child, 'PostgreSQL');
  }

  /** Whether its first process runs. */
  get isRunning(): boolean {
    return isRunning(this.#child);
  }

  /** Resolves when its first process has ended. */
  exit(): Promise<void> {
    return exitOf(this.#child);
  }

  /**
   * Ends it. Its data remains.
   *
   * @param signal SIGQUIT ends it without a checkpoint, as a crash does; SIGKILL ends its first process, and the others
   *   notice that
   */
  async end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    const child = this.#child;
    if (!isRunning(child)) return;
    this.#child = undefined;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }

  /** Ends it and removes its data. */
  async remove(): Promise<void> {
    await this.end('SIGQUIT');
    for (const folder of [this.#folder, this.#logFolder])
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  /** Makes it write, after all that it wrote before. @throws Error when it refuses */
  async write(): Promise<void> {
    await this.run('SELECT pg_switch_wal()');
  }

  /** Runs a statement. */
  async run(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url });
    // When the server ends, the statement rejects as well. Without a listener, the process would end.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Opens a store in it. */
  open(options: Partial<PostgresStorageOptions> = {}): Promise<Storage> {
    const place = options.pool === undefined ? { url: this.url } : {};
    return openPostgresStorage({ ...place, clock: systemClock, compactionInterval: 0, ...options });
  }
}
