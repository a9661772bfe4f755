/**
 * A configuration file that a running server reloads when it changes. File access, change notifications and the clock
 * are parameters, so this module does not use the host.
 *
 * @module
 */
import { messageOf } from '../errors/error-message.js';
import { silentLogger, type Logger } from '../reporting/logger.js';
import type { Clock, Timer } from '../time/clock.js';

/** Metrics of reloads. */
export interface ReloadMetrics {
  /**
   * Called after every reload of a changed file, and after every failure.
   *
   * @param atSeconds seconds since the epoch
   */
  reloaded(success: boolean, atSeconds: number): void;
}

/** Options of {@link watchReloadedFile}. */
export interface ReloadedFileOptions<Configuration> {
  /** Contents of the file, for messages: `authentication config`. */
  readonly name: string;
  /** The text in use. */
  readonly text: string;
  /** Reads the file. A failure is retried at the next check. */
  readonly read: () => string | Promise<string>;
  /** Parses the text into a configuration. When it throws, the text is not loaded again. */
  readonly load: (text: string) => Configuration | Promise<Configuration>;
  /** Throws for an invalid configuration, whose text is not loaded again. */
  readonly validate?: ((configuration: Configuration) => void | Promise<void>) | undefined;
  /**
   * Applies the configuration completely or not at all. A failure is retried at the next check. Must end when the
   * signal aborts.
   */
  readonly apply: (configuration: Configuration, signal: AbortSignal) => void | Promise<void>;
  /** Calls back when the file may have changed. Returns a function that unsubscribes. */
  readonly onChange?: ((changed: () => void) => () => void) | undefined;
  readonly clock: Clock;
  /** Interval of periodic checks, in milliseconds. Default one minute. */
  readonly pollMs?: number | undefined;
  /** Maximum duration of `apply`, in milliseconds. Default one minute. */
  readonly applyTimeoutMs?: number | undefined;
  /** Maximum length of the text, in UTF-16 units. Default 4 Mi. */
  readonly maxLength?: number | undefined;
  readonly log?: Logger | undefined;
  readonly metrics?: ReloadMetrics | undefined;
}

/** A watched file. */
export interface ReloadedFile {
  /** Checks the file now. Resolves after a check that began after the call; never rejects. */
  check(): Promise<void>;
  /** Stops watching, and aborts a running `apply`. */
  close(): void;
}

const MINUTE_MS = 60_000;
const MAX_LENGTH = 4 * 1024 * 1024;

/**
 * Watches a file. An invalid text leaves the current configuration in use. Checks do not overlap.
 */
export function watchReloadedFile<Configuration>(options: ReloadedFileOptions<Configuration>): ReloadedFile {
  return new Watch(options);
}

class Watch<Configuration> implements ReloadedFile {
  readonly #options: ReloadedFileOptions<Configuration>;
  readonly #log: Logger;
  readonly #closed = new AbortController();
  readonly #unsubscribe: (() => void) | undefined;
  #text: string;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  /** A check that has not started; all calls until its start share it. */
  #next: Promise<void> | undefined;

  constructor(options: ReloadedFileOptions<Configuration>) {
    this.#options = options;
    this.#log = options.log ?? silentLogger;
    this.#text = options.text;
    this.#unsubscribe = options.onChange?.(() => void this.check());
    this.#schedule();
  }

  check(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      this.#running = this.#closed.signal.aborted ? Promise.resolve() : this.#checkOnce();
      return this.#running;
    });
    return this.#next;
  }

  close(): void {
    this.#closed.abort(new Error(`the watch of the ${this.#options.name} file was closed`));
    this.#unsubscribe?.();
    this.#timer?.cancel();
  }

  #schedule(): void {
    if (this.#closed.signal.aborted) return;
    const { clock, pollMs = MINUTE_MS } = this.#options;
    this.#timer = clock.after(pollMs, () => void this.check().then(() => this.#schedule()));
  }

  async #checkOnce(): Promise<void> {
    const text = await this.#attempt(`failed to read ${this.#options.name} file`, () => this.#read());
    if (text === undefined || text.value === this.#text) return;
    const loaded = await this.#attempt(`failed to load ${this.#options.name}`, () => this.#options.load(text.value));
    const valid =
      loaded &&
      (await this.#attempt(`failed to validate ${this.#options.name}`, () => this.#options.validate?.(loaded.value)));
    if (loaded === undefined || valid === undefined) {
      this.#text = text.value;
      return;
    }
    const applied = await this.#attempt(`failed to update ${this.#options.name}`, () => this.#apply(loaded.value));
    if (applied === undefined) return;
    this.#text = text.value;
    this.#log.info(`reloaded ${this.#options.name}`);
    this.#count(true);
  }

  async #read(): Promise<string> {
    const { read, maxLength = MAX_LENGTH } = this.#options;
    const text = await read();
    if (text.length > maxLength) throw new Error(`the file is longer than ${maxLength} characters`);
    return text;
  }

  async #apply(configuration: Configuration): Promise<void> {
    const { apply, clock, applyTimeoutMs = MINUTE_MS } = this.#options;
    const timeout = new AbortController();
    const timer = clock.after(applyTimeoutMs, () =>
      timeout.abort(new Error(`it took longer than ${applyTimeoutMs} ms`)),
    );
    try {
      await apply(configuration, AbortSignal.any([timeout.signal, this.#closed.signal]));
    } finally {
      timer.cancel();
    }
  }

  /** Runs a step. Returns undefined for a failure, which is logged and counted. */
  async #attempt<Value>(
    message: string,
    step: () => Value | Promise<Value>,
  ): Promise<{ readonly value: Value } | undefined> {
    try {
      return { value: await step() };
    } catch (error) {
      if (this.#closed.signal.aborted) return undefined;
      this.#log.error(message, { error: messageOf(error) });
      this.#count(false);
      return undefined;
    }
  }

  #count(success: boolean): void {
    this.#options.metrics?.reloaded(success, this.#options.clock.now() / 1000);
  }
}
