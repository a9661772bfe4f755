import { apiVersionOf, report, type Entropy, type ObjectMeta } from '../../foundation/index.js';
import type { ClientBackend } from '../backend.js';
import type { ListParameters, PartialObjectMetadata } from '../client.js';
import { Follower, type FollowSink, type FollowSource } from './follower.js';
import { Handoff } from './handoff.js';
import type { FollowedObject } from './object-key.js';

/** Options of following a collection. */
export interface FollowParameters extends Pick<ListParameters, 'labelSelector' | 'fieldSelector' | 'signal'> {
  /** Objects in a page of a list. Default 500. */
  readonly limit?: number | undefined;
  /** Called with each failure; the next attempt follows. Default: none. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Whether waiting for an event keeps the process alive. Default true. */
  readonly keepAlive?: boolean | undefined;
}

/** An event of a collection that is followed. */
export type FollowEvent<Item> =
  | {
      readonly type: 'ADDED' | 'MODIFIED';
      readonly object: Item;
      /** Whether the object comes from a list: at the start, or after changes that were not seen. */
      readonly listed: boolean;
    }
  | {
      readonly type: 'DELETED';
      /** The last state; when it was not seen, the metadata that was known: name, namespace, uid and version. */
      readonly object: Item | PartialObjectMetadata;
      readonly seen: boolean;
    }
  /** All changes up to the version have been delivered: after each list. */
  | { readonly type: 'SYNCED'; readonly resourceVersion: string };

const DEFAULT_PAGE = 500;

/** Where the objects of a collection come from. */
export interface FollowOrigin {
  /** Chance of the pauses between attempts, so that clients of one server do not come back together. Default: none. */
  readonly entropy?: Entropy | undefined;
  /** Whether a connection may be lost without a sign. */
  readonly remote: boolean;
  /** Called when an informer starts; returns what it calls at its end. Default: none. */
  readonly opened?: (() => () => void) | undefined;
  /** Aborts when the client is closed, or the server in the same process. */
  readonly closed?: AbortSignal | undefined;
}

/**
 * Yields the changes of a collection until the signal aborts, or the caller leaves the loop.
 *
 * @throws Error when the client is closed; ApiError 503 when the server in the same process is
 */
export async function* follow<Item extends FollowedObject>(
  source: FollowSource<Item>,
  {
    clock,
    entropy,
    remote,
    dialect,
    closed,
  }: Pick<ClientBackend, 'clock' | 'dialect' | 'entropy' | 'remote' | 'closed'>,
  parameters: FollowParameters,
): AsyncGenerator<FollowEvent<Item>, void, undefined> {
  const { labelSelector, fieldSelector, limit = DEFAULT_PAGE, signal, onError, keepAlive = true } = parameters;
  const handoff = new Handoff<FollowEvent<Item>>();
  const left = new AbortController();
  const ends = [left.signal, signal, closed].filter((end) => end !== undefined);
  const follower = new Follower<Item>({
    ...{ source, clock, entropy, remote, keepAlive, selection: { labelSelector, fieldSelector } },
    sink: sinkOf(handoff, apiVersionOf(`meta.${dialect.groupSuffix}`, 'v1'), (error) => report(() => onError?.(error))),
    pageSize: limit,
    signal: AbortSignal.any(ends),
    onUnreadable: onError === undefined ? undefined : ({ error }) => onError(error),
    isAwaited: () => false,
  });
  const running = follower.run().finally(() => handoff.end());
  try {
    yield* handoff.values();
    if (signal?.aborted !== true) closed?.throwIfAborted();
  } finally {
    left.abort();
    handoff.release();
    await running;
  }
}

/** Remembers the metadata that comparing a list needs, and hands over the changes. */
function sinkOf<Item extends FollowedObject>(
  handoff: Handoff<FollowEvent<Item>>,
  apiVersion: string,
  failed: (error: unknown) => void,
): FollowSink<Item> {
  const known = new Map<string, PartialObjectMetadata>();
  return {
    known: (key) => known.get(key),
    keys: () => known.keys(),
    changed(key, object, listed) {
      const type = known.has(key) ? 'MODIFIED' : 'ADDED';
      known.set(key, { apiVersion, kind: 'PartialObjectMetadata', metadata: identityOf(object.metadata) });
      return handoff.put({ type, object, listed });
    },
    deleted(key, last) {
      const was = known.get(key);
      known.delete(key);
      const object = last ?? was;
      return object === undefined ? undefined : handoff.put({ type: 'DELETED', object, seen: last !== undefined });
    },
    reached: (resourceVersion, listed) => (listed ? handoff.put({ type: 'SYNCED', resourceVersion }) : undefined),
    failed,
  };
}

function identityOf({ name, namespace, uid, resourceVersion }: ObjectMeta): ObjectMeta {
  return { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion };
}
