import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { TYPESCRIPT } from '../../support/typescript.js';

/** The resources that a server holds. */
export interface Holdings {
  readonly watchers: number;
  readonly connections: number;
  /** Errors that were logged or uncaught since the last query. */
  readonly failures: readonly string[];
}

/** A server in another process, so that its resources are its own and a crash is visible. */
export class HostedServer {
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#process = child;
    this.port = port;
  }

  static async start(): Promise<HostedServer> {
    const child = fork(fileURLToPath(new URL('./host.ts', import.meta.url)), {
      execArgv: ['--expose-gc', ...TYPESCRIPT],
    });
    const exited = once(child, 'exit').then(([code]) => {
      throw new Error(`the server ended with ${String(code)} before it listened`);
    });
    const [{ port }] = (await Promise.race([once(child, 'message'), exited])) as [{ port: number }];
    exited.catch(() => undefined);
    return new HostedServer(child, port);
  }

  async holdings(): Promise<Holdings> {
    this.#process.send('holdings');
    const [answer] = (await once(this.#process, 'message')) as [Holdings];
    return answer;
  }

  /** Bytes of the heap after a garbage collection. */
  async heapBytes(): Promise<number> {
    this.#process.send('heap');
    const [answer] = (await once(this.#process, 'message')) as [number];
    return answer;
  }

  async stop(): Promise<void> {
    const over = once(this.#process, 'exit');
    this.#process.send('end');
    await over;
  }
}
