import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from './client.js';
import type { GaugeQuestion, Gauged } from './gauged.js';
import { Metrics } from './metrics.js';
import { Probe } from './probe.js';
import type { Program } from './program.js';
import type { Rights } from './row.js';
import { threadTime, timeWithoutDelays } from './thread-time.js';
import { grantRights, TOKEN_FILE, TOKENS } from './users.js';

/** Time of a server after which it counts as stuck when it has not answered its gauge, in milliseconds. */
const GAUGE_MS = 8_000;
const KEPT_LINES = 400;

/** The options with which a server starts. */
export interface WorldOptions {
  readonly heapMb: number;
  readonly flags?: readonly string[];
}

/** A server as `orch-apiserver serve` starts it, with a small heap, and its users. */
export class World {
  readonly owner: Client;
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #program: Program;
  readonly #log: string[];
  #questions = 0;
  /** How the process ended: undefined while it lives. */
  ended: string | undefined;

  private constructor(
    program: Program,
    child: ChildProcess,
    directory: string,
    log: string[],
    /** The plain port, and the port with TLS and HTTP/2. */
    readonly urls: { readonly plain: string; readonly secure: string },
    ownerToken: string,
  ) {
    this.#program = program;
    this.#child = child;
    this.#directory = directory;
    this.#log = log;
    this.owner = new Client(urls.plain, ownerToken);
    child.once('exit', (code, signal) => (this.ended = `${signal ?? code ?? ''} ${this.#lastWords()}`.trim()));
  }

  static async start(program: Program, { heapMb, flags = [] }: WorldOptions): Promise<World> {
    const directory = mkdtempSync(join(tmpdir(), 'attacks-'));
    writeFileSync(join(directory, 'tokens'), TOKEN_FILE);
    const child = spawn(
      process.execPath,
      [
        ...[`--max-old-space-size=${heapMb}`, '--expose-gc', '--import', program.gauge, program.main, 'serve'],
        ...['--dialect=kubernetes', '--secure-port=auto', '--insecure-loopback-port=auto', '--log-format=json'],
        ...[`--cert-dir=${directory}`, `--kubeconfig-out=${directory}/kubeconfig`, `--data-dir=${directory}/data`],
        ...[`--token-auth-file=${directory}/tokens`, ...flags],
      ],
      { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env: { ...process.env, NODE_OPTIONS: '' } },
    );
    const log: string[] = [];
    const [plain, secure] = await serving(child, log);
    const ownerToken = /token: (\S+)/.exec(readFileSync(join(directory, 'kubeconfig'), 'utf8'))?.[1] ?? '';
    const world = new World(program, child, directory, log, { plain, secure }, ownerToken);
    await grantRights(world.owner);
    return world;
  }

  /** A client with some rights. */
  as(rights: Rights): Client {
    return rights === 'owner' ? this.owner : new Client(this.urls.plain, TOKENS[rights]);
  }

  /** Process of the server. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Lines of the log that match. */
  logged(wanted: RegExp): string[] {
    return this.#log.filter((line) => wanted.test(line));
  }

  startProbe(): Probe {
    const path = '/api/v1/namespaces/mouse/configmaps/small';
    return new Probe(this.#program.probe, { url: this.urls.plain, token: TOKENS.mouse, pid: this.pid, path });
  }

  /** Asks the gauge in the server. Undefined when the process has ended, or its event loop does not turn. */
  async gauge(question: Omit<GaugeQuestion, 'number'>): Promise<Gauged | undefined> {
    if (this.ended !== undefined || !this.#child.connected) return undefined;
    const number = ++this.#questions;
    return new Promise((resolve) => {
      const elapsed = timeWithoutDelays(threadTime(String(this.pid)));
      const stuck = setInterval(() => {
        if (elapsed() > GAUGE_MS) end(undefined);
      }, GAUGE_MS / 10);
      const listen = (gauged: Gauged): void => {
        if (gauged.number === number) end(gauged);
      };
      const gone = (): void => end(undefined);
      const end = (gauged: Gauged | undefined): void => {
        clearInterval(stuck);
        this.#child.off('message', listen);
        this.#child.off('exit', gone);
        resolve(gauged);
      };
      this.#child.on('message', listen);
      this.#child.on('exit', gone);
      this.#child.send({ ...question, number }, () => undefined);
    });
  }

  /** The metrics of the server; without any when it does not answer. */
  async metrics(): Promise<Metrics> {
    const { status, whole } = await this.owner.read('/metrics', 5 * GAUGE_MS);
    return new Metrics(status === 200 ? whole : '');
  }

  async stop(): Promise<void> {
    this.owner.close();
    if (this.ended === undefined) {
      const exited = once(this.#child, 'exit');
      this.#child.kill('SIGKILL');
      await exited;
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** The line of the log that says why the process ended, such as that of a heap without room. */
  #lastWords(): string {
    return this.#log.find((line) => /FATAL|Error/.test(line))?.slice(0, 160) ?? this.#log.at(-1)?.slice(0, 160) ?? '';
  }
}

/** Waits until the server is ready, and keeps its log. @returns its plain and its secure URL */
function serving(child: ChildProcess, log: string[]): Promise<readonly [string, string]> {
  const { stderr } = child;
  if (stderr === null) throw new Error('no log');
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${log.join('\n')}`)));
    createInterface(stderr).on('line', (line) => {
      log.push(line);
      if (log.length > KEPT_LINES) log.shift();
      if (!line.includes('"message":"serving"')) return;
      const { urls } = JSON.parse(line) as { urls: readonly string[] };
      const of = (scheme: string): string => urls.find((url) => url.startsWith(scheme)) ?? '';
      resolve([of('http:'), of('https:')]);
    });
  });
}
