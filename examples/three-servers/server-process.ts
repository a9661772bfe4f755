import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Command that runs the program, in words. */
const [PROGRAM = 'npx', ...WORDS] = (process.env['ORCH_APISERVER'] ?? 'npx orch-apiserver').split(' ');

/** How a server ends: at once, as when its machine fails, or in order, as in an upgrade. */
export type End = 'SIGKILL' | 'SIGTERM';

/** A process of `orch-apiserver serve`. */
export class ServerProcess {
  readonly #child: ChildProcess;
  /** URL of its port. */
  readonly url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /**
   * Starts a server on a free port. Resolves when it serves.
   *
   * @throws Error with what it has printed, when it ends instead
   */
  static async start(flags: readonly string[]): Promise<ServerProcess> {
    const ports = ['--secure-port=auto', '--insecure-loopback-port=0', '--log-format=json'];
    const child = spawn(PROGRAM, [...WORDS, 'serve', ...ports, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
    const printed: string[] = [];
    for await (const line of createInterface(child.stderr)) {
      printed.push(line);
      const url = /"message":"serving".*"urls":\["([^"]+)"/.exec(line)?.[1];
      if (url === undefined) continue;
      // A pipe that nobody reads would stop the server.
      child.stderr.resume();
      return new ServerProcess(child, url);
    }
    throw new Error(`a server has ended at its start:\n${printed.join('\n')}`);
  }

  /** Ends the process. Resolves when it is gone. */
  async end(signal: End): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill(signal);
    await gone;
  }
}
