import type { Clock, Entropy } from '../meta/clock.js';
import type { UserInfo } from '../meta/object.js';
import type { Dialect } from '../names/dialect.js';

/** Runs what only waits for something that others do, so that the request keeps no place of those that work meanwhile. */
export type Waiting = <Result>(wait: () => Promise<Result>) => Promise<Result>;

/** What every step of a request may know besides the object: who asks, which names hold, what time it is. */
export interface RequestContext {
  readonly user: UserInfo;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Name of the request's field manager where none is given: the first word of the User-Agent. */
  readonly userAgent: string;
  /** Aborts when the client is gone or the server gives up. */
  readonly signal?: AbortSignal | undefined;
  /** Runs what only waits; without it nobody counts who waits. */
  readonly waiting?: Waiting | undefined;
  /** Adds a `Warning` header to the answer. The same text is sent once. */
  warn(text: string): void;
}
