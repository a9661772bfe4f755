import { WatchStream, type ObjectNotice, type WatchNotice } from '../../registry/index.js';
import type { FrameEncoder } from './frame-encoder.js';
import type { WatchPace } from './watch-pace.js';

/** The frames of a watch. A generator would take several more turns of the microtask queue for each of them. */
export class Frames implements AsyncIterableIterator<Uint8Array> {
  readonly #encoder: FrameEncoder;
  readonly #notices: AsyncIterableIterator<WatchNotice>;
  readonly #pace: WatchPace;
  /** Frames of what was there when the watch began that have been made, the first one last. */
  #made: Uint8Array[] = [];
  /** A notice that has been taken, whose frame takes long to make. */
  #long: ObjectNotice | undefined;
  /** Why a frame could not be made. */
  #failure: { readonly error: unknown } | undefined;

  constructor(encoder: FrameEncoder, notices: AsyncIterableIterator<WatchNotice>, pace: WatchPace) {
    this.#encoder = encoder;
    this.#notices = notices;
    this.#pace = pace;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Takes the next frame if its notice is there ({@link StreamBody.take}). */
  take(notices: WatchStream, ready: () => void): Uint8Array | 'later' | 'next' {
    const made = this.#made.pop();
    if (made !== undefined) return made;
    if (this.#failure !== undefined || this.#long !== undefined) return 'next';
    const notice = notices.take(ready);
    if (typeof notice === 'string') return notice;
    return this.#encoded(notice) ?? 'next';
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const made = this.#made.pop() ?? (await this.#nextFrame());
    if (made !== undefined) return { done: false, value: made };
    const failure = this.#failure;
    if (failure === undefined) return END;
    await this.return();
    throw failure.error;
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#made = [];
    await this.#notices.return?.();
    return END;
  }

  /** Returns the next frame; undefined at the end, or after a failure. */
  async #nextFrame(): Promise<Uint8Array | undefined> {
    if (this.#failure === undefined && this.#long === undefined) {
      const isPaced = this.#notices instanceof WatchStream && this.#notices.isPaced;
      const next = await this.#notices.next();
      if (next.done === true) return undefined;
      const { value } = next;
      const frame = 'record' in value && (isPaced || isInitial(value)) ? this.#firstOf(value) : this.#encoded(value);
      if (frame !== undefined) return frame;
    }
    const notice = this.#long;
    this.#long = undefined;
    return notice === undefined ? undefined : this.#longFrame(notice);
  }

  async #longFrame(notice: ObjectNotice): Promise<Uint8Array | undefined> {
    try {
      const frame = await this.#encoder.encodeLong(notice);
      // It counts what it sends, of what was there when the watch began.
      return isInitial(notice) ? this.#pace.handOut([frame]).pop() : frame;
    } catch (error) {
      this.#failure = { error };
      return undefined;
    }
  }

  /** Encodes a notice. Returns undefined when that takes long, or has failed. */
  #encoded(notice: WatchNotice): Uint8Array | undefined {
    try {
      const frame = this.#encoder.encode(notice);
      if (frame === undefined && 'record' in notice) this.#long = notice;
      return frame;
    } catch (error) {
      this.#failure = { error };
      return undefined;
    }
  }

  /** Makes the frames of several notices, and returns the first one; undefined when there is none. */
  #firstOf(notice: ObjectNotice): Uint8Array | undefined {
    const frames = this.#pace.handOut(this.#formerFrames(notice));
    this.#made = frames.reverse();
    return this.#made.pop();
  }

  /** Makes the frame of a notice and of those that can be taken after it. */
  *#formerFrames(first: ObjectNotice): Generator<Uint8Array> {
    const notices = this.#notices;
    let notice: ObjectNotice | undefined = first;
    while (notice !== undefined) {
      // One that is long or fails comes after the frames that have been made.
      const frame = this.#encoded(notice);
      if (frame === undefined) return;
      yield frame;
      notice = notices instanceof WatchStream ? takeReadable(notices) : undefined;
    }
  }
}

/** Takes the next notice of what was there when the watch began, unless `next()` reports why it cannot be read. */
function takeReadable(notices: WatchStream): ObjectNotice | undefined {
  try {
    return notices.takeFormer();
  } catch {
    return undefined;
  }
}

const isInitial = (notice: WatchNotice): notice is ObjectNotice =>
  notice.type === 'ADDED' && notice.source === undefined;

const END = { done: true, value: undefined } as const;
