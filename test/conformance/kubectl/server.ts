import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DATA_FOLDER } from '../../support/data-folder.js';

const path = (relative: string): string => fileURLToPath(new URL(`../../../${relative}`, import.meta.url));

/** The words that start `orch-apiserver serve` from any directory, without a build. */
export const COMMAND: readonly string[] = [process.execPath, path('scripts/start.js'), 'serve'];

/** A server in its own process, as users start it. */
export interface ServerProcess {
  /** A directory for this server and its clients; removed with it. */
  readonly directory: string;
  readonly kubeconfig: string;
  readonly urls: readonly string[];
  readonly process: ChildProcess;
  /** Resolves with the first matching line of its log, past or future. */
  logged(wanted: (line: string) => boolean): Promise<string>;
  /** Ends it with SIGTERM. @returns the exit code */
  stop(): Promise<number | null>;
}

/**
 * Starts `orch-apiserver serve` in its own directory and waits until it is ready.
 *
 * @param flags besides the ports and files, which are chosen free of conflicts
 */
export async function startServer(flags: readonly string[] = []): Promise<ServerProcess> {
  const directory = await mkdtemp(join(DATA_FOLDER, 'orch-apiserver-'));
  const kubeconfig = join(directory, '.orch', 'kubeconfig');
  const storage = flags.some((flag) => /^--(storage|data-dir)=/.test(flag)) ? [] : [`--data-dir=${directory}/data`];
  const [program = '', ...words] = [
    ...COMMAND,
    '--secure-port=auto',
    '--insecure-loopback-port=auto',
    `--cert-dir=${directory}/.orch`,
    `--kubeconfig-out=${kubeconfig}`,
    ...storage,
    ...flags,
  ];
  const child = spawn(program, words, { cwd: path('.'), stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const log = new Log(child);
  const serving = await log.serving(exited);
  return {
    directory,
    kubeconfig,
    urls: (JSON.parse(serving) as { urls: string[] }).urls,
    process: child,
    logged: (wanted) => log.line(wanted),
    async stop() {
      child.kill('SIGTERM');
      const [code] = await exited;
      await rm(directory, { recursive: true });
      return code;
    },
  };
}

/** The log of a server in another process. It is read to the end, so that the server never waits for a reader. */
export class Log {
  readonly #lines: string[] = [];
  readonly #waiting = new Set<(line: string) => void>();

  constructor(child: ChildProcess) {
    if (child.stderr === null) throw new Error('no log');
    createInterface(child.stderr).on('line', (line) => {
      this.#lines.push(line);
      for (const tell of this.#waiting) tell(line);
    });
  }

  /** The line that reports that the server is ready. Rejects if it ends instead. */
  serving(exited: Promise<readonly [number | null]>): Promise<string> {
    const early = exited.then(([code]) =>
      Promise.reject(new Error(`the server ended with ${code}: ${this.#lines.join('\n')}`)),
    );
    early.catch(() => undefined);
    return Promise.race([this.line((line) => line.includes('"message":"serving"')), early]);
  }

  /** The first matching line, past or future. */
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
