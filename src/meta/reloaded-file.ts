/**
 * A file that is read again when it changes: a configuration that a running server takes over. The file, the notification of
 * its changes, and the time are given, so that nothing here touches the host.
 *
 * @module
 */
import type { Clock, Timer } from './clock.js';
import { messageOf } from './error-message.js';
import { silentLogger, type Logger } from './logger.js';

/** Where reloads are counted. */
export interface ReloadMetrics {
  /**
   * After every reload of a file that had changed, and every failure.
   *
   * @param atSeconds seconds since the epoch
   */
  reloaded(success: boolean, atSeconds: number): void;
}

/** What {@link watchReloadedFile} needs. */
export interface ReloadedFileOptions<Configuration> {
  /** What the file holds, for messages: `authentication config`. */
  readonly name: string;
  /** The text that is in use already. */
  readonly text: string;
  /** Reads the file. When it fails, the next look tries again. */
  readonly read: () => string | Promise<string>;
  /** Makes a configuration of the text. When it throws, the text is not looked at again: it will not get better. */
  readonly load: (text: string) => Configuration | Promise<Configuration>;
  /** Throws when the configuration must not be used; likewise for good. */
  readonly validate?: ((configuration: Configuration) => void | Promise<void>) | undefined;
  /** Takes the configuration over, as a whole or not at all. When it fails, the next look tries again. It must end when the signal aborts. */
  readonly apply: (configuration: Configuration, signal: AbortSignal) => void | Promise<void>;
  /** Calls back when the file may have changed. Returns what ends that. */
  readonly onChange?: ((changed: () => void) => () => void) | undefined;
  readonly clock: Clock;
  /** Between looks that nothing caused. Default one minute. */
  readonly pollMs?: number | undefined;
  /** How long taking over may last. Default one minute. */
  readonly applyTimeoutMs?: number | undefined;
  /** Longest text, in UTF-16 units. Default 4 MiB. */
  readonly maxLength?: number | undefined;
  readonly log?: Logger | undefined;
  readonly metrics?: ReloadMetrics | undefined;
}

/** A file that is watched. */
export interface ReloadedFile {
  /** Looks at the file now. Resolves when a look that began after the call is through; never rejects. */
  check(): Promise<void>;
  /** Ends the watch. What is being taken over is told to stop. */
  close(): void;
}

const MINUTE_MS = 60_000;
const MAX_LENGTH = 4 * 1024 * 1024;

/**
 * Watches a file. A text that is bad leaves in use what is in use. Looks do not overlap.
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
  /** A look that has not begun: whoever asks for one until it does shares it. */
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
      this.#running = this.#closed.signal.aborted ? Promise.resolve() : this.#look();
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

  async #look(): Promise<void> {
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

  /** Does a step; undefined when it failed, which is logged and counted. */
  async #attempt<Value>(
    words: string,
    step: () => Value | Promise<Value>,
  ): Promise<{ readonly value: Value } | undefined> {
    try {
      return { value: await step() };
    } catch (error) {
      if (this.#closed.signal.aborted) return undefined;
      this.#log.error(words, { error: messageOf(error) });
      this.#count(false);
      return undefined;
    }
  }

  #count(success: boolean): void {
    this.#options.metrics?.reloaded(success, this.#options.clock.now() / 1000);
  }
}
