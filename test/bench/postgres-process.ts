import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './etcd-process.js';

/** A PostgreSQL server of its own, in a temporary directory. */
export interface PostgresProcess {
  readonly url: string;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

const ROOT = '/usr/lib/postgresql';

/** Directory of the programs of an installed PostgreSQL; undefined if there is none. */
export const postgresPrograms: string | undefined = (existsSync(ROOT) ? readdirSync(ROOT) : [])
  .map((version) => join(ROOT, version, 'bin'))
  .find((directory) => existsSync(join(directory, 'initdb')));

/** PostgreSQL refuses to run as root. */
function identity(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const number = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: number('-u'), gid: number('-g') };
}

/** Starts PostgreSQL with its default settings; resolves once it serves. */
export async function startPostgres(): Promise<PostgresProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'orch-bench-'));
  const options = { ...identity(), cwd: directory };
  if (options.uid !== undefined && options.gid !== undefined) chownSync(directory, options.uid, options.gid);
  const [programs, data, port] = [postgresPrograms ?? '', join(directory, 'data'), await freePort()];
  execFileSync(join(programs, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'orch', '-E', 'UTF8'], {
    ...options,
    stdio: 'ignore',
  });
  const child = spawn(
    join(programs, 'postgres'),
    ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${directory}`],
    { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('ready to accept connections')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`postgres ended with ${code}`)));
  });
  return {
    url: `postgres://orch@127.0.0.1:${port}/postgres`,
    stop: async () => {
      const exit = once(child, 'exit');
      child.kill('SIGINT');
      await exit;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
