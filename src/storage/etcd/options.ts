import type { Clock } from '../../meta/clock.js';
import { report } from '../../meta/report.js';
import type { HistoryOptions } from '../state/store-state.js';
import { KeySpace, parsePrefix } from './key-space.js';
import { DEFAULT_MAX_CACHED_TEXT_LENGTH } from './records.js';
import type { EtcdClientOptions } from './rpc/client.js';
import { parseEndpoints } from './rpc/endpoint.js';

/** A text, or what gives it each time it is needed, so that it may be replaced while the engine runs. */
export type PemSource = string | (() => string);

/** What {@link openEtcdStorage} is made from. */
export interface EtcdStorageOptions extends HistoryOptions {
  /** URLs of the members: `https://host:2379`. One is used at a time, and the next when it does not serve. */
  readonly endpoints: readonly string[];
  /** Authorities that the members' certificates must be from, PEM; default those of the host. */
  readonly ca?: PemSource | undefined;
  /** Certificate by which the members know this client, PEM; together with `key`. */
  readonly cert?: PemSource | undefined;
  /** Private key of the certificate, PEM. */
  readonly key?: PemSource | undefined;
  /** User of etcd's own authentication; together with `password`. */
  readonly username?: string | undefined;
  /** Password of that user. */
  readonly password?: string | undefined;
  /** What all keys start with, as in `<prefix>/pods/default/a`; default `/registry`. */
  readonly prefix?: string | undefined;
  /** Tells the deadlines, the age of the history and when to compact. */
  readonly clock: Clock;
  /** Milliseconds that one request may take, with all its attempts; default 5,000. */
  readonly requestTimeoutMs?: number | undefined;
  /** Milliseconds that opening waits for etcd; default 20,000. */
  readonly openTimeoutMs?: number | undefined;
  /** Milliseconds between two compactions, which one of all servers does; default 300,000, and 0 is none. */
  readonly compactionIntervalMs?: number | undefined;
  /** Most text that is kept of what was read and written lately, in UTF-16 code units; default 64 Mi. */
  readonly maxCachedTextLength?: number | undefined;
  /** Told of what goes wrong where nobody waits: a watch that was interrupted, a compaction that failed. The engine goes on. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** {@link EtcdStorageOptions}, checked, with the defaults in their places. */
export interface EtcdSettings {
  readonly clock: Clock;
  readonly client: EtcdClientOptions;
  readonly keys: KeySpace;
  readonly history: HistoryOptions;
  readonly openTimeoutMs: number;
  readonly compactionIntervalMs: number;
  readonly maxCachedTextLength: number;
  readonly onError: (error: unknown) => void;
}

const DEFAULT_PREFIX = '/registry';
const DEFAULT_REQUEST_TIMEOUT_MS = 5_000;
const DEFAULT_OPEN_TIMEOUT_MS = 20_000;
const DEFAULT_COMPACTION_INTERVAL_MS = 300_000;

/** @throws TypeError for options that contradict themselves, with the option's name */
export function settingsOf(options: EtcdStorageOptions): EtcdSettings {
  const { username, password, ca, cert, key, clock } = options;
  if ((username === undefined) !== (password === undefined))
    throw new TypeError('username and password are given together, or neither');
  if ((cert === undefined) !== (key === undefined)) throw new TypeError('cert and key are given together, or neither');
  const endpoints = parseEndpoints(options.endpoints);
  if ((ca ?? cert) !== undefined && !endpoints.some(({ secure }) => secure))
    throw new TypeError('ca, cert and key are of use with endpoints that begin with https:// alone');
  return {
    clock,
    client: {
      endpoints,
      clock,
      credentials: username === undefined || password === undefined ? undefined : { username, password },
      tls: () => ({ ...pem('ca', ca), ...pem('cert', cert), ...pem('key', key) }),
      callTimeoutMs: options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
    },
    keys: new KeySpace(parsePrefix(options.prefix ?? DEFAULT_PREFIX)),
    history: options,
    openTimeoutMs: options.openTimeoutMs ?? DEFAULT_OPEN_TIMEOUT_MS,
    compactionIntervalMs: options.compactionIntervalMs ?? DEFAULT_COMPACTION_INTERVAL_MS,
    maxCachedTextLength: options.maxCachedTextLength ?? DEFAULT_MAX_CACHED_TEXT_LENGTH,
    onError: (error) => report(() => options.onError?.(error)),
  };
}

function pem(
  name: 'ca' | 'cert' | 'key',
  source: PemSource | undefined,
): Partial<Record<'ca' | 'cert' | 'key', string>> {
  return source === undefined ? {} : { [name]: typeof source === 'string' ? source : source() };
}
