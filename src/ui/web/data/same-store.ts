import { ApiFailure, isAborted, isStream } from './api.js';
import type { PageClock } from './clock.js';

/** The parts of {@link SameStore}. */
export interface SameStoreParts {
  /** Asks the server which store it has; empty when it does not say, as to strangers. */
  readonly read: () => Promise<string>;
  /** Called when it has another store than before: no view may stay. */
  readonly startOver: () => void;
  readonly clock: Pick<PageClock, 'now'>;
}

/**
 * How long an answer counts for the streams that are opened, in milliseconds. One that has ended is opened again after a
 * longer pause, so that its answer is a newer one.
 */
const FRESH_MS = 100;

/** Answers of something between the page and a server that it does not reach. */
const UNREACHED = new Set([502, 503, 504]);

/**
 * Notices that another server answers, with another store: its versions say nothing about those that the page knows, even
 * if they are higher. A server may be another one once a request has failed or a stream has ended, so the store is asked
 * for then, and before each stream, since a stream that nobody read has ended unseen.
 */
export class SameStore {
  readonly #parts: SameStoreParts;
  #known = '';
  #isDoubtful = false;
  /** When the server has told it last. */
  #toldAt = -Infinity;
  #asking: Promise<boolean> | undefined;

  constructor(parts: SameStoreParts) {
    this.#parts = parts;
  }

  /**
   * Takes the store that the server has told.
   *
   * @param store empty when it did not say
   * @returns whether it is another one than before
   */
  know(store: string): boolean {
    if (store === '') return false;
    const isOther = this.#known !== '' && store !== this.#known;
    this.#known = store;
    this.#isDoubtful = false;
    this.#toldAt = this.#parts.clock.now();
    return isOther;
  }

  /**
   * Sends a request of a view, once it is known that the server still has the store that the view shows.
   *
   * @param url that of the request
   * @throws ApiFailure when it has another one; what the request throws
   */
  async send(url: string, request: () => Promise<Response>): Promise<Response> {
    const opensStream = isStream(url);
    // Before the request: a stream that waits for this would keep one of the few connections of a browser.
    const isOld = opensStream && this.#parts.clock.now() - this.#toldAt > FRESH_MS;
    if (
      (this.#isDoubtful || isOld) &&
      !(await (this.#asking ??= this.#ask().finally(() => (this.#asking = undefined))))
    )
      throw new ApiFailure(503, 'the server has another store now');
    try {
      const response = await request();
      this.#isDoubtful ||= UNREACHED.has(response.status);
      return opensStream ? this.#untilEnd(response) : response;
    } catch (error) {
      this.#isDoubtful ||= !isAborted(error);
      throw error;
    }
  }

  /** Returns the answer of a stream. The request that follows its end, such as a list, may reach another server. */
  #untilEnd(response: Response): Response {
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    const reader = body.getReader();
    const watched = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await reader.read();
            if (!done) return controller.enqueue(value);
            this.#isDoubtful = true;
            controller.close();
          } catch (error) {
            this.#isDoubtful ||= !isAborted(error);
            controller.error(error);
          }
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    return new Response(watched, { status, statusText, headers });
  }

  /** Returns whether the server still has the store, as far as it says. */
  async #ask(): Promise<boolean> {
    const isOther = this.know(await this.#parts.read().catch(() => ''));
    if (isOther) this.#parts.startOver();
    return !isOther;
  }
}
