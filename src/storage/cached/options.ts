import {
  aClock,
  aDuration,
  aFunction,
  checkedElsewhere,
  checkOptions,
  durationMs,
  type Clock,
  type Duration,
  type OptionChecks,
} from '../../foundation/index.js';
import type { Revision } from '../storage.js';
import type { VersionSource } from './cold-records.js';

/** Options of {@link watchCache}. */
export interface WatchCacheOptions {
  /** Clock for the waits, the pauses and the age of the history. */
  readonly clock: Clock;
  /**
   * Maximum total length of the keys and texts of the objects in the cache, in bytes. A larger store is not cached: its
   * reads go to the engine. Default: the server's limit of the current objects (`limits.objectsTextBytes`).
   */
  readonly maxTextBytes?: number | undefined;
  /**
   * Maximum time that a read waits until the watch has delivered the newest revision; then the engine answers. Default
   * `3s`.
   */
  readonly wait?: Duration | undefined;
  /** Called when the cache starts or stops answering. Its errors are ignored. */
  readonly onStatus?: ((status: WatchCacheStatus) => void) | undefined;
}

/** The component that answers the reads of a store with a watch cache: the cache or the engine. */
export type WatchCacheStatus =
  | {
      /** The cache answers. */
      readonly kind: 'serving';
      /** Number of objects in the cache, and the total length of their keys and texts in bytes. */
      readonly objects: number;
      readonly textBytes: number;
      /** Revision at which the cache was filled. */
      readonly revision: Revision;
    }
  | {
      /** The engine answers until the cache has been filled again. */
      readonly kind: 'passing';
      /** Why the cache does not answer. */
      readonly reason: WatchCacheLoss;
      readonly message: string;
      /** Time after which the cache is filled again, in milliseconds. */
      readonly retryAfter: number;
    };

/**
 * Why a cache does not answer: the store is too large (`limit`), the memory of the server is needed otherwise
 * (`memory`), or the list or the watch of the engine failed or was compacted (`interrupted`).
 */
export type WatchCacheLoss = 'limit' | 'memory' | 'interrupted';

/** The checked {@link WatchCacheOptions}, with defaults. */
export interface WatchCacheSettings {
  readonly clock: Clock;
  /** Undefined: the limit of the server. */
  readonly maxTextBytes: number | undefined;
  readonly waitMs: number;
  /** The texts in memory are limited; undefined: all are in memory. */
  readonly cold: ColdSettings | undefined;
  readonly onStatus: (status: WatchCacheStatus) => void;
}

/** A limit of the texts in memory. */
export interface ColdSettings {
  /** Maximum memory of the texts, in bytes. */
  readonly maxBytes: number;
  /** Reads the texts that are not in memory. */
  readonly source: VersionSource;
}

const DEFAULT_WAIT_MS = 3_000;

const checks: OptionChecks<WatchCacheOptions> = {
  clock: aClock,
  maxTextBytes: checkedElsewhere,
  wait: aDuration,
  onStatus: aFunction,
};

/**
 * Checks the options and sets the defaults.
 *
 * @throws TypeError naming the option
 */
export function settingsOf(options: WatchCacheOptions, cold?: ColdSettings): WatchCacheSettings {
  checkOptions('watchCache', options, checks, ['clock']);
  const { clock, maxTextBytes, wait = DEFAULT_WAIT_MS, onStatus } = options;
  if (maxTextBytes !== undefined && !(maxTextBytes > 0))
    throw new TypeError(
      `maxTextBytes: ${maxTextBytes} must be greater than 0; without the option, the limit is that of the server`,
    );
  return { clock, maxTextBytes, waitMs: durationMs(wait), cold, onStatus: onStatus ?? (() => undefined) };
}
