import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

/** A server in a process of its own, as a user starts it. */
export interface ServerProcess {
  /** A directory for this server and its clients; removed with it. */
  readonly directory: string;
  readonly kubeconfig: string;
  readonly urls: readonly string[];
  readonly process: ChildProcess;
  /** Ends it with SIGTERM. @returns the exit code */
  stop(): Promise<number | null>;
}

/**
 * Starts `orch-apiserver serve` in a directory of its own and waits until it serves.
 *
 * @param flags besides the ports and files, which are chosen so that nothing is in the way
 */
export async function startServer(flags: readonly string[] = []): Promise<ServerProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'orch-apiserver-'));
  const kubeconfig = join(directory, '.orch', 'kubeconfig');
  const words = ['--import', 'tsx', MAIN, 'serve', '--secure-port=auto', '--insecure-loopback-port=auto', `--cert-dir=${directory}/.orch`, `--kubeconfig-out=${kubeconfig}`, ...flags];
  const child = spawn(process.execPath, words, { cwd: REPOSITORY, stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const urls = await urlsOf(child, exited);
  return {
    directory,
    kubeconfig,
    urls,
    process: child,
    async stop() {
      child.kill('SIGTERM');
      const code = await exited;
      await rm(directory, { recursive: true });
      return code;
    },
  };
}

function urlsOf(child: ChildProcess, exited: Promise<number | null>): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    // The pipe is read to the end, so that the server never waits for a reader.
    if (child.stderr !== null) {
      createInterface(child.stderr).on('line', (line) => {
        said.push(line);
        if (line.includes('"message":"serving"')) resolve((JSON.parse(line) as { urls: string[] }).urls);
      });
    }
    void exited.then((code) => reject(new Error(`the server ended with ${code}: ${said.join('\n')}`)));
  });
}
