/**
 * The effect of each fault.
 *
 * @module
 */
import { ApiError, definedOnly, delay, durationMs, errors, reasonOfCode, type Clock } from '../../foundation/index.js';
import { expiredStatus, stampRevision, type ServedResource } from '../../registry/index.js';
import { ConnectionLostError, type InterceptedRequest, type InterceptedServer } from '../../server/index.js';
import { StorageError, type Revision, type Storage } from '../../storage/index.js';
import { storedEvents } from '../server/stored-events.js';
import type { FaultEffect } from './rule.js';
import type { FaultSpec, FaultStatus } from './spec.js';
import type { WatchedStream } from './watched-stream.js';

/** The parts of a server that faults work with. */
export interface FaultsCore {
  readonly clock: Clock;
  /** Returns the current server. */
  readonly server: () => InterceptedServer;
  /** Starts again on the same storage. */
  readonly restart: () => Promise<void>;
}

/** Returns what a rule does. */
export function effectOf(spec: Exclude<FaultSpec, { fault: 'crash' }>, core: FaultsCore): FaultEffect {
  switch (spec.fault) {
    case 'fail':
      return failing(() => statusError(spec.status));
    case 'delay':
      return delaying(durationMs(spec.duration), core.clock);
    case 'dropConnection':
      return spec.when === 'before commit' ? failing(() => new ConnectionLostError()) : droppedAfterCommit;
    case 'dropWatches':
      return droppingWatches(spec);
    case 'expireHistory':
      return expiringHistory(core.server().storage);
    case 'staleReads':
      return stale(spec.versions, core);
    case 'slowConsumer':
      return holding(() => undefined);
    case 'partition':
      return partitioned(spec.watches ?? 'cut');
    case 'conflictOnce':
      return conflicting(core);
  }
}

/** Fails each request that is struck. @param errorOf returns the error */
export function failing(errorOf: () => unknown): FaultEffect {
  return {
    request: async (_request, proceed, strike) => {
      if (!strike()) return proceed();
      throw errorOf();
    },
  };
}

function statusError(given: number | FaultStatus): ApiError {
  const status = typeof given === 'number' ? { code: given } : given;
  const { code, reason = reasonOfCode(code), retryAfter } = status;
  const details =
    retryAfter === undefined ? undefined : { retryAfterSeconds: Math.ceil(durationMs(retryAfter) / 1000) };
  return new ApiError({
    ...definedOnly({ reason, details }),
    code,
    message: status.message ?? `a fault rule of the test answers ${code}`,
  });
}

function delaying(ms: number, clock: Clock): FaultEffect {
  let released = new AbortController();
  const release = (): void => {
    released.abort();
    released = new AbortController();
  };
  return {
    request: async (_request, proceed, strike) => {
      if (strike() && ms > 0) await delay(clock, ms, released.signal);
      return proceed();
    },
    removed: release,
    released: release,
  };
}

const droppedAfterCommit: FaultEffect = {
  request: async (_request, proceed, strike) => {
    const struck = strike();
    const answer = await proceed();
    if (struck) throw new ConnectionLostError();
    return answer;
  },
};

/** Drops the open watches once, or, with `after` or `times`, watches at their events. */
function droppingWatches(spec: Extract<FaultSpec, { fault: 'dropWatches' }>): FaultEffect {
  const ending = { kind: spec.cleanly === true ? 'closed' : 'lost' } as const;
  const drop = (stream: WatchedStream, strike: () => boolean): void => {
    if (strike()) stream.end(ending);
  };
  if (spec.match?.after !== undefined || spec.match?.times !== undefined) return { delivered: drop };
  return { opened: (stream, strike, isNew) => (isNew ? undefined : drop(stream, strike)) };
}

/** Compacts the history once. Open watches end with 410, as do watches from versions before that. */
function expiringHistory(storage: Storage): FaultEffect {
  let oldest: Revision = 0;
  const compacted = (async () => {
    oldest = await storage.currentRevision();
    await storage.compact(oldest);
  })();
  // A failure is one of the requests that wait for it.
  compacted.catch(() => undefined);
  const tooOld = errors.expired('The resourceVersion for the provided watch is too old.').status;
  return {
    request: async (_request, proceed, strike) => {
      await compacted;
      return proceed().catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 410) strike();
        throw error;
      });
    },
    opened: (stream, strike, isNew) => {
      if (!isNew) {
        if (strike()) stream.end({ kind: 'error', status: tooOld });
        return;
      }
      const from = Number(new URLSearchParams(stream.request.query).get('resourceVersion') ?? '');
      if (from > 0 && from < oldest && strike()) stream.end({ kind: 'error', status: expiredStatus(from, oldest) });
    },
  };
}

/** Answers gets and lists from the state before the last writes to what they read. */
function stale(versions: number, { server }: FaultsCore): FaultEffect {
  return {
    request: async (request, proceed, strike) => {
      const { storage, served } = server();
      const range = request.verb === 'get' || request.verb === 'list' ? rangeOf(request, served()) : undefined;
      if (range === undefined || !strike()) return proceed();
      const events = await storedEvents(storage, range.prefix);
      const writes = range.key === undefined ? events : events.filter(({ key }) => key === range.key);
      const first = writes.at(-Math.min(versions, writes.length));
      if (first === undefined) return proceed();
      const oldest = await storage.compactedRevision();
      return proceed({ readAt: Math.max(first.revision - 1, oldest, 1) });
    },
  };
}

/** Returns the storage keys that a request reads; undefined for a request without any. */
function rangeOf(
  { isResource, group, resource, version, namespace, name, verb }: InterceptedRequest,
  served: readonly ServedResource[],
): { readonly prefix: string; readonly key: string | undefined } | undefined {
  const kind = served.find((one) => one.group === group && one.resource === resource && one.version === version);
  if (!isResource || kind === undefined) return undefined;
  const prefix = kind.namespaced && namespace !== '' ? `${kind.keyPrefix}${namespace}/` : kind.keyPrefix;
  return { prefix, key: verb === 'list' ? undefined : prefix + name };
}

/** Holds the events of watches back until the rule is removed. @param released called for each watch then */
function holding(released: (stream: WatchedStream) => void): FaultEffect {
  const held = new Set<WatchedStream>();
  return {
    opened: (stream, strike) => {
      if (!strike()) return;
      held.add(stream);
      stream.hold(held);
    },
    removed: () => {
      for (const stream of held) {
        released(stream);
        stream.release(held);
      }
      held.clear();
    },
  };
}

/** Fails every request, and cuts the open watches or lets them fall silent. */
function partitioned(watches: 'cut' | 'silent'): FaultEffect {
  const { request } = failing(() => new ConnectionLostError());
  const cut = (stream: WatchedStream): void => stream.end({ kind: 'lost' });
  if (watches === 'silent') return { ...holding(cut), ...(request === undefined ? {} : { request }) };
  return {
    ...(request === undefined ? {} : { request }),
    opened: (stream, strike) => {
      if (strike()) cut(stream);
    },
  };
}

/**
 * Lets another writer come first: the object gets a new version with the same content, and the request fails with 409.
 * A caller that retries with the version that it had fails again.
 */
function conflicting({ server }: FaultsCore): FaultEffect {
  return {
    request: async (request, proceed, strike) => {
      const { storage, served } = server();
      const updates = request.verb === 'update' || request.verb === 'patch';
      const key = updates ? rangeOf(request, served())?.key : undefined;
      const found = key === undefined ? undefined : (await storage.get(key)).record;
      if (found === undefined || !strike()) return proceed();
      const { text, modRevision } = found;
      await storage
        .update(found.key, (revision) => stampRevision(text, revision), modRevision)
        .catch((error: unknown) => {
          // Another writer did come first.
          if (!(error instanceof StorageError)) throw error;
        });
      throw errors.modified(request, request.name);
    },
  };
}
