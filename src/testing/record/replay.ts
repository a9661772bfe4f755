import { readFile } from 'node:fs/promises';
import { checkKubeConfigOptions, kubeConfigOf, type KubeConfigOptions } from '../../client/index.js';
import {
  aName,
  checkOptions,
  encodeUtf8,
  equalJson,
  isArray,
  isJsonObject,
  jsonText,
  listOf,
  messageOf,
  onAbort,
  wrapError,
  type JsonValue,
  type OptionChecks,
} from '../../foundation/index.js';
import type { ApiRequest, ApiResponse } from '../../server/index.js';
import { toFetchHandler, type TransportTarget } from '../../transport/index.js';
import {
  isWrite,
  parseConversation,
  type RecordedAnswer,
  type RecordedExchange,
  type RecordedRequest,
} from './conversation.js';
import { firstDifference, withoutPaths } from './differences.js';
import { problemResponse } from './problem.js';
import { obstacleOf, readRequest, titleOf } from './request-form.js';

/** Options of {@link replay}. */
export interface ReplayOptions {
  /**
   * Paths in the bodies of requests that are not compared, because the program writes times or random values there:
   * `spec.renewTime`, `metadata.annotations.*`. `*` stands for any member or item.
   */
  readonly ignore?: readonly string[] | undefined;
}

/** A replay. Every transport serves it, as it serves a recording. */
export interface Replay extends AsyncDisposable {
  /** Where transports send requests. */
  readonly target: TransportTarget;
  /** Answers a request from the recording, whatever the host of its URL. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Returns a kubeconfig (YAML) for a listener that serves the replay. Its token has no meaning. */
  kubeConfig(options?: KubeConfigOptions): string;
  /** The requests that the recording had no response for, with the reason. */
  readonly unmatched: readonly string[];
  /** The recorded writes that were not made. */
  readonly missing: readonly string[];
  /**
   * Checks that every request had a response and that all recorded writes were made.
   *
   * @throws Error with those that did not
   */
  verify(): void;
  /** Ends the streams. @throws Error when a request had no response: a program may have ignored that */
  close(): Promise<void>;
}

const checks: OptionChecks<ReplayOptions> = { ignore: listOf(aName, 'a list of paths') };

/**
 * Answers requests from a recording, without the server.
 *
 * Writes must come in the recorded order, with the recorded bodies; those that overlapped may come in any order. Reads
 * may come in any order and number: a read is answered as it was after the writes so far. An event of a watch arrives
 * when the writes have begun that had begun when it was recorded. A request without a response is answered with 501 and
 * the reason, and fails `close()` and `verify()`.
 *
 * @throws Error when the file cannot be read; TypeError when it is not a recording
 */
export async function replay(file: string, options: ReplayOptions = {}): Promise<Replay> {
  checkOptions('replay', options, checks);
  if (typeof file !== 'string' || file === '') throw new TypeError('replay: the first argument must be a file name');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw wrapError(file, error);
  }
  return new Player(parseConversation(text, file), options);
}

/** A recorded exchange, and whether it was replayed. */
interface Step {
  readonly exchange: RecordedExchange;
  used: boolean;
}

class Player implements Replay {
  readonly fetch: Replay['fetch'];
  readonly target: TransportTarget = { handle: (request) => this.#handle(request) };
  readonly unmatched: string[] = [];
  readonly #ignored: readonly string[];
  readonly #reads = new Map<string, Step[]>();
  readonly #writes: Step[] = [];
  readonly #closed = new AbortController();
  /** Called when a write has begun. */
  readonly #waiting = new Set<() => void>();

  constructor(exchanges: readonly RecordedExchange[], { ignore = [] }: ReplayOptions) {
    this.#ignored = ignore;
    for (const exchange of exchanges) {
      const step = { exchange, used: false };
      if (isWrite(exchange.request)) this.#writes.push(step);
      else {
        const title = titleOf(exchange.request);
        this.#reads.set(title, [...(this.#reads.get(title) ?? []), step]);
      }
    }
    const handler = toFetchHandler(this.target);
    this.fetch = (input, init) => handler(new Request(input, init));
  }

  get missing(): readonly string[] {
    return this.#writes.filter(({ used }) => !used).map(({ exchange }) => titleOf(exchange.request));
  }

  kubeConfig(options: KubeConfigOptions = {}): string {
    checkKubeConfigOptions(options);
    return kubeConfigOf({ token: 'replay', name: 'replay', ...options });
  }

  verify(): void {
    const problems = [...this.unmatched, ...this.missing.map((title) => `${title}: recorded, but not made`)];
    if (problems.length > 0) throw new Error(`replay: ${problems.join('\n')}`);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    if (this.unmatched.length > 0) throw new Error(`replay: ${this.unmatched.join('\n')}`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #handle(request: ApiRequest): Promise<ApiResponse> {
    if (this.#closed.signal.aborted) return problemResponse(500, 'the replay is closed');
    try {
      const obstacle = obstacleOf(request);
      if (obstacle !== undefined) return this.#refuse(`${request.method} ${request.path}: ${obstacle}`);
      const { recorded } = await readRequest(request);
      const found = isWrite(request) ? this.#write(recorded) : this.#read(recorded);
      return 'problem' in found ? this.#refuse(`${titleOf(recorded)}: ${found.problem}`) : this.#answer(found, request);
    } catch (error) {
      return this.#refuse(`${request.method} ${request.path}: ${messageOf(error)}`);
    }
  }

  #refuse(problem: string): ApiResponse {
    this.unmatched.push(problem);
    return problemResponse(501, `replay: ${problem}`);
  }

  /** Place of the first recorded write that has not begun. */
  get #begun(): number {
    return this.#writes.find(({ used }) => !used)?.exchange.writes ?? Infinity;
  }

  #read(request: RecordedRequest): RecordedExchange | { readonly problem: string } {
    const steps = this.#reads.get(titleOf(request));
    if (steps === undefined) return { problem: 'the recording has no such request' };
    const begun = this.#begun;
    const past = steps.filter(({ exchange }) => exchange.writes <= begun);
    const latest = past.at(-1);
    if (latest === undefined)
      return { problem: `recorded only after ${this.#titleOfWrite(begun)}, which was not made yet` };
    const level = past.filter(({ exchange }) => exchange.writes === latest.exchange.writes);
    const step = level.find(({ used }) => !used) ?? latest;
    step.used = true;
    return step.exchange;
  }

  #titleOfWrite(place: number): string {
    const step = this.#writes.find(({ exchange }) => exchange.writes === place);
    return step === undefined ? 'the last write' : titleOf(step.exchange.request);
  }

  #write(request: RecordedRequest): RecordedExchange | { readonly problem: string } {
    const open = this.#writes.filter(({ used }) => !used);
    // A write may overtake those that were in flight when it began.
    const next = open.filter(({ exchange: { writes, during = [] } }) =>
      open.every(({ exchange }) => exchange.writes >= writes || during.includes(exchange.writes)),
    );
    const title = titleOf(request);
    const titled = next.filter(({ exchange }) => titleOf(exchange.request) === title);
    const step = titled.find(({ exchange }) => this.#differenceOf(exchange.request, request) === undefined);
    if (step !== undefined) {
      step.used = true;
      for (const wake of this.#waiting) wake();
      return step.exchange;
    }
    if (titled[0] !== undefined)
      return {
        problem: `the body differs from the recorded one: ${this.#differenceOf(titled[0].exchange.request, request) ?? ''}`,
      };
    if (next[0] === undefined) return { problem: 'the recording has no further write' };
    const later = open.some(({ exchange }) => titleOf(exchange.request) === title);
    const expected = next.map(({ exchange }) => titleOf(exchange.request)).join(' or ');
    return {
      problem: `${later ? 'this write is recorded later' : 'the recording has no such write here'}; the next is ${expected}`,
    };
  }

  /** Returns the first difference of two bodies, besides the ignored paths. */
  #differenceOf(recorded: RecordedRequest, sent: RecordedRequest): string | undefined {
    const clean = (body: JsonValue | undefined): JsonValue => withoutPaths(body ?? null, this.#ignored);
    const [before, now] = [clean(recorded.body), clean(sent.body)];
    return equalJson(before, now) ? undefined : firstDifference(before, now, '');
  }

  #answer({ answer }: RecordedExchange, request: ApiRequest): ApiResponse {
    const { status, headers, body, stream } = answer;
    if (stream !== undefined) return { status, headers, body: { stream: this.#stream(answer, request.signal) } };
    return { status, headers, body: body === undefined ? undefined : textOf(body) };
  }

  /** Yields the pieces of a stream when the writes have begun that precede them. */
  async *#stream({ stream = [], ended }: RecordedAnswer, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const over = AbortSignal.any([signal, this.#closed.signal]);
    for (const { writes, value } of stream) {
      await this.#until(() => this.#begun >= writes, over);
      if (over.aborted) return;
      yield encodeUtf8(`${textOf(value)}\n`);
    }
    if (ended !== true) await this.#until(() => false, over);
  }

  /** Resolves when a condition about the writes holds, or the signal aborts. */
  async #until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !holds()) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          stop();
          this.#waiting.delete(wake);
          resolve();
        };
        const stop = onAbort(signal, wake);
        this.#waiting.add(wake);
      });
    }
  }
}

const textOf = (value: JsonValue): string =>
  isJsonObject(value) || isArray(value) ? jsonText(value) : typeof value === 'string' ? value : jsonText(value);
