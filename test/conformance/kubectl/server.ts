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
  /** Resolves with the first line of its log, past or to come, that is as wanted. */
  logged(wanted: (line: string) => boolean): Promise<string>;
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
  const log = new Log(child);
  const early = exited.then((code) => Promise.reject(new Error(`the server ended with ${code}: ${log.text}`)));
  const serving = await Promise.race([log.line((line) => line.includes('"message":"serving"')), early]);
  early.catch(() => undefined);
  return {
    directory,
    kubeconfig,
    urls: (JSON.parse(serving) as { urls: string[] }).urls,
    process: child,
    logged: (wanted) => log.line(wanted),
    async stop() {
      child.kill('SIGTERM');
      const code = await exited;
      await rm(directory, { recursive: true });
      return code;
    },
  };
}

/** The log of a server. It is read to the end, so that the server never waits for a reader. */
class Log {
  readonly #lines: string[] = [];
  readonly #waiting = new Set<(line: string) => void>();

  constructor(child: ChildProcess) {
    if (child.stderr === null) throw new Error('no log');
    createInterface(child.stderr).on('line', (line) => {
      this.#lines.push(line);
      for (const tell of this.#waiting) tell(line);
    });
  }

  get text(): string {
    return this.#lines.join('\n');
  }

  line(wanted: (line: string) => boolean): Promise<string> {
    const known = this.#lines.find(wanted);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => {
      const tell = (line: string): void => {
        if (!wanted(line)) return;
        this.#waiting.delete(tell);
        resolve(line);
      };
      this.#waiting.add(tell);
    });
  }
}
