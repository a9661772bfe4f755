import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DATA_FOLDER } from '../../support/data-folder.js';
import { isRunning } from '../../support/running-child.js';
import { freePorts } from '../etcd/etcd-process.js';

/** The pooler of Debian's package `pgbouncer`; undefined if it is not installed. */
export const pgbouncerProgram = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));

/** From this version on the pooler knows prepared statements, unless it is told not to. */
const KNOWS_STATEMENTS = [1, 21] as const;

function knowsStatements(program: string): boolean {
  const [, major = '0', minor = '0'] =
    /PgBouncer (\d+)\.(\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' })) ?? [];
  const [leastMajor, leastMinor] = KNOWS_STATEMENTS;
  return Number(major) > leastMajor || (Number(major) === leastMajor && Number(minor) >= leastMinor);
}

/** A pooler in transaction mode before a PostgreSQL: each transaction may run in another process of the database. */
export class PgbouncerProcess {
  /** URL of the database behind it. */
  readonly url: string;
  readonly #program: string;
  readonly #folder: string;
  #child: ChildProcess | undefined;

  private constructor(program: string, folder: string, url: string) {
    this.#program = program;
    this.#folder = folder;
    this.url = url;
  }

  /**
   * @param target URL of the PostgreSQL
   * @param connections number of connections to it, which all clients share
   */
  static async start(target: string, connections: number): Promise<PgbouncerProcess> {
    if (pgbouncerProgram === undefined) throw new Error('pgbouncer is not installed');
    const folder = await mkdtemp(join(DATA_FOLDER, 'pgbouncer-test-'));
    // It refuses to run as root, and reads its file as another user.
    await chmod(folder, 0o755);
    const [port] = await freePorts();
    const { port: targetPort, username, pathname } = new URL(target);
    const settings = [
      '[databases]',
      `* = host=127.0.0.1 port=${targetPort} user=${username}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      `default_pool_size = ${connections}`,
      'server_login_retry = 1',
      ...(knowsStatements(pgbouncerProgram) ? ['max_prepared_statements = 0'] : []),
    ];
    await writeFile(join(folder, 'pgbouncer.ini'), `${settings.join('\n')}\n`);
    const pooler = new PgbouncerProcess(
      pgbouncerProgram,
      folder,
      `postgres://${username}@127.0.0.1:${port}${pathname}`,
    );
    await pooler.start();
    return pooler;
  }

  /** Starts it. Resolves once it accepts connections. */
  async start(): Promise<void> {
    const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
    const child = spawn(this.#program, [...user, join(this.#folder, 'pgbouncer.ini')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk: Buffer) => {
        log = (log + chunk.toString()).slice(-20_000);
        if (/process up/.test(log)) resolve();
      });
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`pgbouncer ended with ${code}: ${log.slice(-2_000)}`)));
    });
  }

  /** Kills it: its clients lose their connections at once. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || !isRunning(child)) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  /** Ends it and removes its files. */
  async remove(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
