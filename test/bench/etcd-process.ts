import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An etcd of its own, in a temporary directory. */
export interface EtcdProcess {
  readonly url: string;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** Returns whether the program is installed. */
export const hasEtcd = (): boolean => spawnSync('etcd', ['--version']).status === 0;

/** Returns an unused port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts an etcd; resolves once it serves. */
export async function startEtcd(): Promise<EtcdProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'orch-bench-'));
  const [url, peer] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
  const child = spawn(
    'etcd',
    [
      '--data-dir',
      join(directory, 'etcd'),
      '--logger',
      'zap',
      '--log-outputs',
      'stderr',
      '--listen-client-urls',
      url,
      '--advertise-client-urls',
      url,
      '--listen-peer-urls',
      peer,
      '--initial-advertise-peer-urls',
      peer,
      '--initial-cluster',
      `default=${peer}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      if (chunk.includes('serving client traffic')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`etcd ended with ${code}`)));
  });
  return {
    url,
    async stop() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      rmSync(directory, { recursive: true });
    },
  };
}
