import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import type { ServerProcess } from './server.js';

/** The program; another one can be named to test its release. */
export const PROGRAM = process.env['KUBECTL'] ?? 'kubectl';

/** Garbage is collected when the heap has grown this much, in percent: in a short process, never. It saves a fifth of its time. */
const SELDOM = '1000';

/** How long a command may take, in milliseconds. */
const PATIENCE_MS = 20_000;

/** Minor release of the installed tool (20 for 1.20); undefined when there is none. */
export const toolMinor = detect();

if (toolMinor === undefined) console.warn(`no ${PROGRAM} on this machine: its conformance tests are skipped`);

function detect(): number | undefined {
  try {
    const text = execFileSync(PROGRAM, ['version', '--client', '-o', 'json'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { clientVersion } = JSON.parse(text) as { clientVersion: { minor: string } };
    return Number.parseInt(clientVersion.minor, 10);
  } catch {
    return undefined;
  }
}

/** The result of a command. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of one command. */
export interface CommandOptions {
  /** The command's stdin, for `-f -`. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** How long the command may take, in milliseconds. Default 20 seconds. */
  readonly patienceMs?: number;
}

/** The tool, for one server. */
export class Kubectl {
  readonly #server: Pick<ServerProcess, 'directory' | 'kubeconfig'>;

  constructor(server: Pick<ServerProcess, 'directory' | 'kubeconfig'>) {
    this.#server = server;
  }

  /** Runs a command. The words are separated by spaces; a list is used unchanged. */
  async run(words: string | readonly string[], options: CommandOptions = {}): Promise<Outcome> {
    const child = this.#start(words, options);
    const out: string[] = [];
    const err: string[] = [];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => out.push(text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => err.push(text));
    child.stdin?.end(options.input ?? '');
    const [code] = (await once(child, 'close')) as [number | null];
    return { code: code ?? -1, stdout: out.join(''), stderr: err.join('') };
  }

  /** Runs a command that must succeed; returns its output. */
  async ok(words: string | readonly string[], options: CommandOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(words, options);
    expect(code, `${String(words)}: ${stderr}`).toBe(0);
    return stdout;
  }

  /** Runs a command that must fail; returns its error output. */
  async fails(words: string | readonly string[], options: CommandOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(words, options);
    expect(code, `${String(words)}: ${stdout}`).not.toBe(0);
    return stderr;
  }

  /** Runs a command that continues until it is stopped, and yields its lines. */
  follow(words: string | readonly string[]): { readonly lines: AsyncIterator<string>; end(): void } {
    const child = this.#start(words, {});
    if (child.stdout === null) throw new Error('no output to follow');
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    return { lines, end: () => child.kill('SIGINT') };
  }

  #start(words: string | readonly string[], options: CommandOptions): ChildProcess {
    const { directory, kubeconfig } = this.#server;
    const list = typeof words === 'string' ? words.split(' ') : [...words];
    // Its own home directory: the tool caches facts about servers there.
    const paths = { PATH: process.env['PATH'] ?? '', HOME: directory, KUBECONFIG: kubeconfig };
    const env = { ...paths, GOGC: SELDOM, ...options.env };
    return spawn(PROGRAM, list, { cwd: directory, env, timeout: options.patienceMs ?? PATIENCE_MS });
  }
}

/** A table as the tool prints it: rows of cells, without the heading. */
export function rowsOf(text: string): string[][] {
  return text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/).map((cell) => cell.trim()));
}
