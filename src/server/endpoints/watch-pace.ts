import { shareTurn, type Work } from '../../foundation/index.js';
import type { InitialPace, RequestContext } from '../../registry/index.js';
import type { InitialState } from '../operations/initial-states.js';
import type { RequestScope, WatchSeat } from '../requests/request-scope.js';

/** Units of work to encode an initial event, and for each byte of its frame. */
const FRAME_UNITS = 40;
const BYTE_UNITS = 1 / 32;

/** Total length of the frames that are made in one slice, in bytes: the transport writes them in one turn. */
const SLICE_BYTES = 64 * 1024;

/** The parts of a call that its pace depends on. */
interface PacedCall {
  readonly context: Pick<RequestContext, 'work'>;
  readonly scope: Pick<RequestScope, 'initialState' | 'watchSeat'>;
}

/**
 * The pace of the initial state of a watch request: in its order among those of the user, in slices of the request's
 * work. Later events have no pace of their own: most are made once for all their watches.
 */
export class WatchPace implements InitialPace {
  readonly #work: Work | undefined;
  readonly #state: InitialState | undefined;
  readonly #seat: WatchSeat | undefined;
  #isSliceUsedUp = false;

  constructor({ context, scope }: PacedCall) {
    this.#work = context.work;
    this.#state = scope.initialState;
    this.#seat = scope.watchSeat;
  }

  turn(): Promise<void> | undefined {
    const place = this.#state?.proceed();
    if (place !== undefined) return place;
    if (this.#work === undefined) return shareTurn();
    if (!this.#isSliceUsedUp) return undefined;
    this.#isSliceUsedUp = false;
    return this.#work.next('watch');
  }

  spend(units: number): boolean {
    if (this.#work === undefined) return true;
    if (this.#work.spend(units)) this.#isSliceUsedUp = true;
    return this.#isSliceUsedUp;
  }

  end(): void {
    this.#state?.end();
    this.#seat?.initialized();
  }

  measure<Result>(step: () => Result): Result {
    return this.#work === undefined ? step() : this.#work.measure(step);
  }

  /**
   * Makes the frames of initial events, as many as fit into a slice.
   *
   * @param frames makes one at each step
   */
  handOut(frames: Iterable<Uint8Array>): Uint8Array[] {
    const made = this.measure(() => this.#sliceOf(frames));
    this.#state?.handedOut();
    return made;
  }

  #sliceOf(frames: Iterable<Uint8Array>): Uint8Array[] {
    const made: Uint8Array[] = [];
    let length = 0;
    for (const frame of frames) {
      made.push(frame);
      length += frame.length;
      const mustPause = this.spend(FRAME_UNITS + BYTE_UNITS * frame.length);
      if (!mustPause && length < SLICE_BYTES) continue;
      this.#isSliceUsedUp = true;
      break;
    }
    return made;
  }
}
