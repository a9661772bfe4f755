import type { Work } from '../../meta/work.js';
import { shareTurn } from '../../meta/turn.js';
import type { RequestContext } from '../../registry/context.js';
import type { InitialPace } from '../../registry/list-options.js';
import type { InitialState } from '../initial-states.js';
import type { RequestScope, WatchSeat } from '../request-scope.js';

/** Units of work to encode an initial event, and for each byte of its frame. */
const FRAME_UNITS = 40;
const BYTE_UNITS = 1 / 32;

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
    return this.#work.next();
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

  /** Makes the frame of an initial event, which is handed out then. */
  measure(encode: () => Uint8Array): Uint8Array {
    const frame = this.#work === undefined ? encode() : this.#work.measure(encode);
    this.spend(FRAME_UNITS + BYTE_UNITS * frame.length);
    this.#state?.handedOut();
    return frame;
  }
}
