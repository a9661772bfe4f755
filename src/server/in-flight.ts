/**
 * A bound on how many requests are worked on at once, so that an overload is answered quickly instead of slowing
 * everybody down. Reading and changing requests have bounds of their own.
 *
 * @module
 */
import { errors, type ApiError } from '../meta/api-error.js';

/** Which bound a request counts against. */
export type RequestClass = 'readOnly' | 'mutating';

/** The bounds; 0 is none. */
export interface InFlightOptions {
  /** GETs and the like. Default 400. */
  readonly maxReadOnly?: number;
  /** Requests that change something. Default 200. */
  readonly maxMutating?: number;
}

const READ_ONLY_VERBS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options']);

/** The class of a request by its verb. */
export function requestClass(verb: string): RequestClass {
  return READ_ONLY_VERBS.has(verb) ? 'readOnly' : 'mutating';
}

/**
 * Whether a request is to be held against a bound at all. Watches are not: they last. Nor are those of `system:masters`,
 * so that a server that is swamped can still be administered.
 */
export function isLimited(verb: string, groups: readonly string[]): boolean {
  return verb !== 'watch' && !groups.includes('system:masters');
}

/** The answer to a request for which there is no room: 429, to be tried again in a second. */
export function tooManyRequests(): ApiError {
  return errors.tooManyRequests('Too many requests, please try again later.', 1);
}

const nothing = (): void => undefined;

/** Counts the requests that are being worked on. */
export class InFlightLimiter {
  readonly #max: Readonly<Record<RequestClass, number>>;
  readonly #current: Record<RequestClass, number> = { readOnly: 0, mutating: 0 };
  readonly #release: Readonly<Record<RequestClass, () => void>>;

  constructor(options: InFlightOptions = {}) {
    this.#max = { readOnly: options.maxReadOnly ?? 400, mutating: options.maxMutating ?? 200 };
    // Made once: a release carries no state of its own, so that a request costs no closure.
    this.#release = {
      readOnly: () => void (this.#current.readOnly -= 1),
      mutating: () => void (this.#current.mutating -= 1),
    };
  }

  /**
   * Takes a place.
   *
   * @returns what gives the place back, to be called exactly once; undefined when there is none
   */
  acquire(kind: RequestClass): (() => void) | undefined {
    const max = this.#max[kind];
    if (max === 0) return nothing;
    if (this.#current[kind] >= max) return undefined;
    this.#current[kind] += 1;
    return this.#release[kind];
  }

  /** Requests being worked on, by class. */
  get current(): Readonly<Record<RequestClass, number>> {
    return { ...this.#current };
  }
}
