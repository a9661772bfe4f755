import { LruMap, type Clock } from '../../foundation/index.js';
import { UnreadableValueError } from '../encrypted/value-codec.js';

/** Time for which further values of a resource that cannot be read are not reported, in milliseconds. */
const QUIET_MS = 60_000;
/** Maximum number of resources that are remembered; the least recent is forgotten first. */
const MAX_RESOURCES = 1000;

/**
 * Reports values that cannot be decrypted: of each resource one a minute, since without a key there may be millions. (A
 * metric of the encryption counts all.)
 */
export class UnreadableReports {
  readonly #clock: Clock;
  readonly #report: (error: unknown) => void;
  /** When a value of a resource was reported, in milliseconds since the epoch. */
  readonly #reported = new LruMap<string, number>(MAX_RESOURCES);

  constructor(clock: Clock, report: (error: unknown) => void) {
    this.#clock = clock;
    this.#report = report;
  }

  /** Reports an error, unless it is one of too many of its resource. */
  readonly report = (error: unknown): void => {
    if (!(error instanceof UnreadableValueError) || this.#isDue(resourceOf(error.key))) this.#report(error);
  };

  #isDue(resource: string): boolean {
    const nowMs = this.#clock.now();
    const atMs = this.#reported.get(resource);
    if (atMs !== undefined && nowMs >= atMs && nowMs - atMs < QUIET_MS) return false;
    this.#reported.set(resource, nowMs);
    return true;
  }
}

/**
 * Returns what the keys of a resource begin with: `/registry/GROUP/` of a custom resource has a third part, which does not
 * tell its resources apart.
 */
const resourceOf = (key: string): string => key.split('/', 3).join('/');
