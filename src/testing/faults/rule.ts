import type { InterceptedAnswer, InterceptedRequest, RequestChange } from '../../server/index.js';
import type { RequestFilter } from './match.js';
import type { FaultSpec } from './spec.js';
import type { WatchedStream } from './watched-stream.js';

/** A rule in force. */
export interface FaultRule {
  /** Number of the rule among those of its server: 1 for the first. */
  readonly id: number;
  /** The rule as plain JSON, from which it can be made again. */
  readonly spec: FaultSpec;
  /** Number of requests and watches that the rule has struck. */
  readonly hits: number;
  /** False after {@link remove}. */
  readonly active: boolean;
  /** Ends the rule. What it has done stays done. */
  remove(): void;
  /** The rule as code that makes it: `test.faults.fail({ verb: 'get' }, { status: 503 })`. */
  toString(): string;
}

/** Continues a request with the next rules. */
export type Continue = (change?: RequestChange) => Promise<InterceptedAnswer>;

/** The effect of a rule. Absent members do nothing. */
export interface FaultEffect {
  /** Handles a request that the rule concerns. It calls `strike` to count the request, which says whether it is struck. */
  readonly request?:
    ((request: InterceptedRequest, proceed: Continue, strike: () => boolean) => Promise<InterceptedAnswer>) | undefined;
  /** Called for each open watch when the rule begins, and for each watch that begins later. */
  readonly opened?: ((stream: WatchedStream, strike: () => boolean, isNew: boolean) => void) | undefined;
  /** Called before an event of a watch is delivered. */
  readonly delivered?: ((stream: WatchedStream, strike: () => boolean) => void) | undefined;
  /** Called when the rule is removed. */
  readonly removed?: (() => void) | undefined;
  /** Called when the server ends, or is replaced: it waits for its requests, which must not wait for more time. */
  readonly released?: (() => void) | undefined;
}

/** A rule, as the faults of a server apply it. */
export class ActiveRule implements FaultRule {
  readonly id: number;
  readonly spec: FaultSpec;
  readonly concerns: RequestFilter;
  readonly #effect: FaultEffect;
  readonly #code: string;
  readonly #onRemove: (rule: ActiveRule) => void;
  #seen = 0;
  #hits = 0;
  #active = true;

  /** @param code the rule as code */
  constructor(parts: {
    readonly id: number;
    readonly spec: FaultSpec;
    readonly concerns: RequestFilter;
    readonly effect: FaultEffect;
    readonly code: string;
    readonly onRemove: (rule: ActiveRule) => void;
  }) {
    this.id = parts.id;
    this.spec = parts.spec;
    this.concerns = parts.concerns;
    this.#effect = parts.effect;
    this.#code = parts.code;
    this.#onRemove = parts.onRemove;
  }

  get effect(): FaultEffect {
    return this.#effect;
  }

  get hits(): number {
    return this.#hits;
  }

  get active(): boolean {
    return this.#active;
  }

  /** Counts a request; returns whether the rule strikes it. Bound, so that it can be passed as a function. */
  readonly strike = (): boolean => {
    const match = 'match' in this.spec ? this.spec.match : undefined;
    this.#seen += 1;
    if (this.#seen <= (match?.after ?? 0) || this.#hits >= this.limit) return false;
    this.#hits += 1;
    return true;
  };

  /** Maximum number of hits. */
  get limit(): number {
    const { spec } = this;
    const { times, after } = ('match' in spec ? spec.match : undefined) ?? {};
    if (times !== undefined) return times;
    const once =
      spec.fault === 'conflictOnce' || spec.fault === 'crash' || (spec.fault === 'dropWatches' && after !== undefined);
    return once ? 1 : Infinity;
  }

  remove(): void {
    if (!this.#active) return;
    this.#active = false;
    this.#onRemove(this);
    this.#effect.removed?.();
  }

  toString(): string {
    return this.#code;
  }
}
