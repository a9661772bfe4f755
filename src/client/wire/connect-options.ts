import {
  aClock,
  aCount,
  aName,
  anObject,
  aNumber,
  aPositiveDuration,
  checkOptions,
  either,
  nested,
  oneOf,
  withMethods,
  type Clock,
  type Dialect,
  type Duration,
  type Entropy,
  type Logger,
  type OptionCheck,
  type OptionChecks,
} from '../../foundation/index.js';
import { clientOptionChecks, type ClientOptions } from '../client.js';

/** When failed requests are sent again. */
export interface RetryOptions {
  /** Maximum number of attempts of a request. Default 5. */
  readonly attempts?: number | undefined;
  /** Pause after the first attempt, which doubles with each further one. Default 250 ms. */
  readonly first?: Duration | undefined;
  /** Longest pause. Default 10 s. */
  readonly most?: Duration | undefined;
}

/** Limits of a client, for the sake of its server. */
export interface RequestLimits {
  /** Requests in a second; further ones wait. Default any number. */
  readonly perSecond?: number | undefined;
  /** Requests that may follow each other without a pause. Default twice `perSecond`. */
  readonly burst?: number | undefined;
  /** Connections over HTTP/1.1, besides those of watches and logs; further requests wait. Not over `fetch`. Default 16. */
  readonly connections?: number | undefined;
}

/** Options of a client over the wire. */
export interface ConnectOptions extends Omit<ClientOptions, 'at'> {
  /** Names of the server's API. Default `kubernetes`. */
  readonly dialect?: Dialect | 'orch' | 'kubernetes' | undefined;
  /** Value of `User-Agent`, and field manager of a client without one, up to the first slash. Not sent by browsers. */
  readonly userAgent?: string | undefined;
  /**
   * Which requests are sent again: on 429, 503, and 5xx with `Retry-After`, and when the server cannot be reached, as far
   * as a second request cannot do more than the first. False: none.
   */
  readonly retry?: RetryOptions | false | undefined;
  readonly limit?: RequestLimits | undefined;
  /** Time until a response has arrived; of a watch or log, until it begins. Default 60 s. */
  readonly timeout?: Duration | undefined;
  /** Default the host's. */
  readonly clock?: Clock | undefined;
  /** Chance of the pauses between attempts. Default the host's. */
  readonly entropy?: Entropy | undefined;
  /** Told of what does not fail a request, such as a file that cannot be read again. Default the console. */
  readonly logger?: Logger | undefined;
}

const retryChecks: OptionChecks<RetryOptions> = {
  attempts: aCount('attempts', 1),
  first: aPositiveDuration,
  most: aPositiveDuration,
};

const limitChecks: OptionChecks<RequestLimits> = {
  perSecond: aNumber('requests', Number.MIN_VALUE),
  burst: aCount('requests', 1),
  connections: aCount('connections', 1),
};

const isFalse: OptionCheck = (value) => (value === false ? undefined : 'not false');

const { at: _at, ...common } = clientOptionChecks;

const checks: OptionChecks<ConnectOptions> = {
  ...common,
  dialect: either(anObject, oneOf('orch', 'kubernetes')),
  userAgent: aName,
  retry: either(isFalse, nested(retryChecks)),
  limit: nested(limitChecks),
  timeout: aPositiveDuration,
  clock: aClock,
  entropy: withMethods('a source of randomness', 'bytes'),
  logger: withMethods('a logger', 'info', 'error'),
};

/** Checks the options of `connect`. @throws TypeError that names the option */
export const checkConnectOptions = (options: ConnectOptions): void => checkOptions('connect', options, checks);
