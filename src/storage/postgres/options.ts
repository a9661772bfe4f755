import {
  aBoolean,
  aClock,
  aCount,
  aDuration,
  aFunction,
  aNumber,
  aPositiveDuration,
  checkedElsewhere,
  checkOptions,
  durationMs,
  matching,
  oneOf,
  report,
  type Clock,
  type Duration,
  type OptionChecks,
} from '../../foundation/index.js';
import type { VersionSource } from '../cached/cold-records.js';
import { limitedCacheDecorators, type EngineWatchCacheOptions } from '../cached/engine-option.js';
import type { StorageDecorator } from '../decorate.js';
import { plainValues, type ValueCodec } from '../encrypted/value-codec.js';
import { DEFAULT_MAX_CACHED_TEXT_LENGTH } from '../remote/record-cache.js';
import { historyChecks, type HistoryOptions } from '../state/history-options.js';
import type { PostgresPool } from './driver.js';
import { isSchemaName, SCHEMA_NAME } from './layout.js';

/** Options of {@link openPostgresStorage}. */
export interface PostgresStorageOptions extends HistoryOptions {
  /**
   * URL of the database, as `postgres://user:password@host:5432/name`; several URLs are tried in order, and servers that
   * are standbys are passed over. Needs the package `pg`. Either `url` or `pool` must be set.
   */
  readonly url?: string | readonly string[] | undefined;
  /**
   * Your pool, such as `Pool` of the package `pg`. The engine holds four of its connections as long as it is open, and
   * does not end the pool.
   */
  readonly pool?: PostgresPool | undefined;
  /**
   * URL of the same database for notifications and the feed of the watches, where `url` or `pool` leads to a pooler in
   * transaction mode, which drops notifications. Several URLs are tried in order. Default: as the other connections.
   */
  readonly listenUrl?: string | readonly string[] | undefined;
  /** Schema of the store; it is made if it does not exist. Each schema is a store of its own. Default `orch`. */
  readonly schema?: string | undefined;
  /**
   * Whether the tables are made if they do not exist. Default true. With false, opening a schema without a store fails,
   * for programs that read a store, and for users of the database that may not make tables.
   */
  readonly createTables?: boolean | undefined;
  /** Clock for deadlines, the age of the history, and compaction. Keys expire by the clock of the database. */
  readonly clock: Clock;
  /** Maximum time of a statement. Default 10 seconds. */
  readonly requestTimeout?: Duration | undefined;
  /** Maximum time to connect, for connections to a `url`. Default 5 seconds. */
  readonly connectTimeout?: Duration | undefined;
  /** Maximum time that opening waits for the database. Default 20 seconds. */
  readonly openTimeout?: Duration | undefined;
  /** Compaction interval; one of all servers compacts. Default 1 minute; 0 disables compaction. */
  readonly compactionInterval?: Duration | undefined;
  /**
   * The failures that an acknowledged write survives. `database` (default): those that the database promises
   * (`synchronous_commit`). `relaxed`: a crash of the database may lose the last writes; the others stay in order.
   */
  readonly durability?: 'database' | 'relaxed' | undefined;
  /** Whether statements are prepared by name. Set it to false for poolers that do not support that. Default true. */
  readonly preparedStatements?: boolean | undefined;
  /**
   * Maximum total length of the texts that are cached after reads and writes, in UTF-16 code units. Default 64 Mi; with
   * `cacheObjects` at most as much as that, and at least 1 Mi.
   */
  readonly maxCachedTextLength?: number | undefined;
  /**
   * Maximum memory of the texts of objects in the watch cache, in bytes, so that the store may be larger than memory. The
   * keys, revisions and indexes stay in memory: about 230 bytes for an object with a key of 60 characters. Texts that are
   * not in memory are read from the database: one request for all that are asked for at the same time. Needs the watch
   * cache. Default: the watch cache has all texts.
   */
  readonly cacheObjects?: number | undefined;
  /** Encrypts the values in the store ({@link createEncryption}). Default: they are stored as they are. */
  readonly encryption?: ValueCodec | undefined;
  /**
   * Whether reads are answered from a copy of the store in this process, as far as it fits into the memory of the server.
   * The copy begins when a server takes the storage. Default true.
   */
  readonly watchCache?: boolean | EngineWatchCacheOptions | undefined;
  /** Called with background errors, such as a lost connection or a failed compaction. The engine continues. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The checked {@link PostgresStorageOptions}, with defaults. */
export interface PostgresSettings {
  readonly clock: Clock;
  readonly urls: readonly string[];
  /** Empty: the feed uses the other connections. */
  readonly listenUrls: readonly string[];
  readonly pool: PostgresPool | undefined;
  readonly schema: string;
  readonly createsTables: boolean;
  readonly history: HistoryOptions;
  readonly requestTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly openTimeoutMs: number;
  readonly compactionIntervalMs: number;
  readonly isRelaxed: boolean;
  readonly preparesStatements: boolean;
  readonly maxCachedTextLength: number;
  /** Whether the texts in the watch cache are limited. */
  readonly hasColdTexts: boolean;
  /** Converts values on their way to and from the store. */
  readonly encryption: ValueCodec;
  /** Returns what puts the watch cache above the engine; nothing when there is none. */
  readonly decoratorsOn: (source: VersionSource) => readonly StorageDecorator[];
  readonly onError: (error: unknown) => void;
}

const DEFAULT_SCHEMA = 'orch';
const DEFAULT_REQUEST_TIMEOUT_MS = 10_000;
const DEFAULT_CONNECT_TIMEOUT_MS = 5_000;
const DEFAULT_OPEN_TIMEOUT_MS = 20_000;
const DEFAULT_COMPACTION_INTERVAL_MS = 60_000;
const MIN_RECENT_TEXT_LENGTH = 1024 * 1024;

const checks: OptionChecks<PostgresStorageOptions> = {
  ...historyChecks,
  // A URL may contain a password, so no message shows it.
  url: checkedElsewhere,
  listenUrl: checkedElsewhere,
  pool: matching('a pool of connections, with the method connect', isPool),
  schema: matching(SCHEMA_NAME, isSchemaName),
  createTables: aBoolean,
  clock: aClock,
  requestTimeout: aPositiveDuration,
  connectTimeout: aPositiveDuration,
  openTimeout: aPositiveDuration,
  compactionInterval: aDuration,
  durability: oneOf('database', 'relaxed'),
  preparedStatements: aBoolean,
  maxCachedTextLength: aNumber('UTF-16 code units'),
  cacheObjects: aCount('bytes'),
  encryption: checkedElsewhere,
  watchCache: checkedElsewhere,
  onError: aFunction,
};

/**
 * Checks the options and sets the defaults.
 *
 * @throws TypeError when options contradict each other; the message names the option, and shows no URL
 */
export function settingsOf(options: PostgresStorageOptions): PostgresSettings {
  checkOptions('openPostgresStorage', options, checks, ['clock']);
  const { url, listenUrl, pool, clock, cacheObjects } = options;
  if ((url === undefined) === (pool === undefined)) throw new TypeError('either url or pool must be set');
  const urls = urlsOf('url', url);
  const listenUrls = urlsOf('listenUrl', listenUrl);
  if (cacheObjects !== undefined && options.watchCache === false)
    throw new TypeError('cacheObjects limits the texts in the watch cache: leave it out, or do not turn the cache off');
  const onError = (error: unknown): void => report(() => options.onError?.(error));
  return {
    clock,
    urls,
    listenUrls,
    pool,
    schema: options.schema ?? DEFAULT_SCHEMA,
    createsTables: options.createTables ?? true,
    history: options,
    requestTimeoutMs: durationMs(options.requestTimeout ?? DEFAULT_REQUEST_TIMEOUT_MS),
    connectTimeoutMs: durationMs(options.connectTimeout ?? DEFAULT_CONNECT_TIMEOUT_MS),
    openTimeoutMs: durationMs(options.openTimeout ?? DEFAULT_OPEN_TIMEOUT_MS),
    compactionIntervalMs: durationMs(options.compactionInterval ?? DEFAULT_COMPACTION_INTERVAL_MS),
    isRelaxed: options.durability === 'relaxed',
    preparesStatements: options.preparedStatements ?? true,
    maxCachedTextLength: options.maxCachedTextLength ?? recentTextLength(cacheObjects),
    hasColdTexts: cacheObjects !== undefined,
    encryption: options.encryption ?? plainValues,
    decoratorsOn: (source) =>
      limitedCacheDecorators(options.watchCache, {
        clock,
        onError,
        cold: cacheObjects === undefined ? undefined : { maxBytes: cacheObjects, source },
      }),
    onError,
  };
}

/** Returns the maximum length of the texts of recent versions, which the watches of the engine need soon. */
function recentTextLength(cacheObjects = Infinity): number {
  return Math.min(Math.max(cacheObjects, MIN_RECENT_TEXT_LENGTH), DEFAULT_MAX_CACHED_TEXT_LENGTH);
}

/** Returns the URLs of an option; none for one that is not set. @throws TypeError, which shows no URL */
function urlsOf(option: string, value: unknown): readonly string[] {
  if (value === undefined) return [];
  const urls: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (urls.length > 0 && urls.every(isUrl)) return urls;
  throw new TypeError(`${option} must be a URL that starts with postgres://, or a list of them`);
}

const isUrl = (value: unknown): value is string => typeof value === 'string' && /^postgres(?:ql)?:\/\//.test(value);

function isPool(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'connect' in value && typeof value.connect === 'function';
}
