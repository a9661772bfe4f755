import {
  aClock,
  aDuration,
  aFunction,
  aNumber,
  aPositiveDuration,
  aText,
  checkedElsewhere,
  checkOptions,
  durationMs,
  listOf,
  matching,
  report,
  type Clock,
  type Duration,
  type OptionChecks,
} from '../../foundation/index.js';
import { watchCacheDecorators, type EngineWatchCacheOptions } from '../cached/index.js';
import type { StorageDecorator } from '../decorate.js';
import { plainValues, type ValueCodec } from '../encrypted/value-codec.js';
import { DEFAULT_MAX_CACHED_TEXT_LENGTH } from '../remote/record-cache.js';
import { historyChecks, type HistoryOptions } from '../state/history-options.js';
import { KeySpace, parsePrefix } from './key-space.js';
import type { EtcdClientOptions } from './rpc/client.js';
import { parseEndpoints } from './rpc/endpoint.js';

/** PEM, or a function that returns it each time it is needed, so that it may be replaced while the engine runs. */
export type PemSource = string | (() => string);

/** Options of {@link openEtcdStorage}. */
export interface EtcdStorageOptions extends HistoryOptions {
  /** URLs of the members: `https://host:2379`. The engine uses one at a time and the next one when it fails. */
  readonly endpoints: readonly string[];
  /** Certificate authorities of the members, PEM; default those of the host. */
  readonly ca?: PemSource | undefined;
  /** Client certificate, PEM; requires `key`. */
  readonly cert?: PemSource | undefined;
  /** Private key of the client certificate, PEM; requires `cert`. */
  readonly key?: PemSource | undefined;
  /** User name for etcd's authentication; requires `password`. */
  readonly username?: string | undefined;
  /** Password of the user; requires `username`. */
  readonly password?: string | undefined;
  /** Prefix of all keys, as in `<prefix>/pods/default/a`; default `/registry`. */
  readonly prefix?: string | undefined;
  /** Clock for deadlines, the age of the history, and compaction. */
  readonly clock: Clock;
  /** Timeout of a request with all its attempts. Default `5s`. */
  readonly requestTimeout?: Duration | undefined;
  /** Maximum time that opening waits for etcd. Default `20s`. */
  readonly openTimeout?: Duration | undefined;
  /** Compaction interval; one of all servers compacts. Default `5m`; 0 disables compaction. */
  readonly compactionInterval?: Duration | undefined;
  /** Maximum total length of the texts that are cached after reads and writes, in UTF-16 code units; default 64 Mi. */
  readonly maxCachedTextLength?: number | undefined;
  /** Encrypts the values in the store ({@link createEncryption}). Default: they are stored as they are. */
  readonly encryption?: ValueCodec | undefined;
  /**
   * Whether reads are answered from a copy of the store in this process, as far as it fits into the memory of the server
   * ({@link watchCache}). The copy begins when a server takes the storage. Default true.
   */
  readonly watchCache?: boolean | EngineWatchCacheOptions | undefined;
  /**
   * Called with background errors, such as an interrupted watch, a failed compaction, or a store that is too large for
   * the watch cache. The engine continues.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The checked {@link EtcdStorageOptions}, with defaults. */
export interface EtcdSettings {
  readonly clock: Clock;
  readonly client: EtcdClientOptions;
  readonly keys: KeySpace;
  readonly history: HistoryOptions;
  readonly openTimeoutMs: number;
  readonly compactionIntervalMs: number;
  readonly maxCachedTextLength: number;
  /** Converts values on their way to and from the store. */
  readonly encryption: ValueCodec;
  /** Puts the watch cache above the engine; nothing when there is none. */
  readonly decorators: readonly StorageDecorator[];
  readonly onError: (error: unknown) => void;
}

const DEFAULT_PREFIX = '/registry';
const DEFAULT_REQUEST_TIMEOUT_MS = 5_000;
const DEFAULT_OPEN_TIMEOUT_MS = 20_000;
const DEFAULT_COMPACTION_INTERVAL_MS = 300_000;

const aPem = matching(
  'PEM, or a function that returns it',
  (value) => typeof value === 'string' || typeof value === 'function',
);

const checks: OptionChecks<EtcdStorageOptions> = {
  ...historyChecks,
  endpoints: listOf(aText, 'a list of URLs'),
  ca: aPem,
  cert: aPem,
  key: aPem,
  username: aText,
  password: aText,
  prefix: aText,
  clock: aClock,
  requestTimeout: aPositiveDuration,
  openTimeout: aPositiveDuration,
  compactionInterval: aDuration,
  maxCachedTextLength: aNumber('UTF-16 code units'),
  encryption: checkedElsewhere,
  watchCache: checkedElsewhere,
  onError: aFunction,
};

/**
 * Checks the options and sets the defaults.
 *
 * @throws TypeError when options contradict each other, or a time is not one; the message names the option
 */
export function settingsOf(options: EtcdStorageOptions): EtcdSettings {
  checkOptions('openEtcdStorage', options, checks, ['endpoints', 'clock']);
  const { username, password, ca, cert, key, clock } = options;
  const {
    requestTimeout = DEFAULT_REQUEST_TIMEOUT_MS,
    openTimeout = DEFAULT_OPEN_TIMEOUT_MS,
    compactionInterval = DEFAULT_COMPACTION_INTERVAL_MS,
  } = options;
  if ((username === undefined) !== (password === undefined))
    throw new TypeError('username and password must be set together');
  if ((cert === undefined) !== (key === undefined)) throw new TypeError('cert and key must be set together');
  const onError = (error: unknown): void => report(() => options.onError?.(error));
  const endpoints = parseEndpoints(options.endpoints);
  if ((ca ?? cert) !== undefined && !endpoints.some(({ secure }) => secure))
    throw new TypeError('ca, cert and key need an endpoint that starts with https://');
  return {
    clock,
    client: {
      endpoints,
      clock,
      credentials: username === undefined || password === undefined ? undefined : { username, password },
      tls: () => ({ ...pem('ca', ca), ...pem('cert', cert), ...pem('key', key) }),
      callTimeoutMs: durationMs(requestTimeout),
    },
    keys: new KeySpace(parsePrefix(options.prefix ?? DEFAULT_PREFIX)),
    history: options,
    openTimeoutMs: durationMs(openTimeout),
    compactionIntervalMs: durationMs(compactionInterval),
    maxCachedTextLength: options.maxCachedTextLength ?? DEFAULT_MAX_CACHED_TEXT_LENGTH,
    encryption: options.encryption ?? plainValues,
    decorators: watchCacheDecorators(options.watchCache, { clock, onError }),
    onError,
  };
}

function pem(
  name: 'ca' | 'cert' | 'key',
  source: PemSource | undefined,
): Partial<Record<'ca' | 'cert' | 'key', string>> {
  return source === undefined ? {} : { [name]: typeof source === 'string' ? source : source() };
}
