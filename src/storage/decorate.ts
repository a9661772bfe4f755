/**
 * Decorators of storages: behaviour above an engine, such as a cache or a test's fault, under the same contract.
 *
 * @module
 */
import { definedOnly } from '../foundation/index.js';
import type { Storage } from './storage.js';

/** Puts behaviour above a storage: returns a storage that fulfils the contract if the inner one does. */
export type StorageDecorator = (inner: Storage) => Storage;

/** Every member of the contract. The optional ones may be undefined, but cannot be forgotten. */
type StorageMembers = {
  readonly [Member in keyof Required<Storage>]: object extends Pick<Storage, Member>
    ? Storage[Member] | undefined
    : Storage[Member];
};

/** The members that a decorator replaces. Undefined removes an optional member. */
export type StorageOverrides = Partial<StorageMembers>;

/**
 * Returns a storage that forwards every member to another one, except those that are replaced. An optional member is
 * absent if it is absent there.
 *
 * A decorator that changes what reads return replaces all of them: `get`, `list`, `index` and the events of `watch`.
 *
 * @param inner the storage below
 * @param overrides the replaced members; they call the inner storage where they need it
 */
export function decorateStorage(inner: Storage, overrides: StorageOverrides): Storage {
  return definedOnly({ ...forwardingMembers(inner), ...overrides });
}

/**
 * Puts decorators above an engine.
 *
 * @param decorators from the innermost to the outermost; none returns the engine itself
 */
export function withDecorators(engine: Storage, decorators: readonly StorageDecorator[]): Storage {
  return decorators.reduce((storage, decorate) => decorate(storage), engine);
}

function forwardingMembers(inner: Storage): StorageMembers {
  return {
    healthChecks: inner.healthChecks,
    commitsInOrder: inner.commitsInOrder,
    readsTexts: inner.readsTexts,
    isShared: inner.isShared,
    shareBudget: inner.shareBudget?.bind(inner),
    index: inner.index?.bind(inner),
    // A fork of the inner storage would lack the functions that the decorator replaces.
    fork: undefined,
    knownRevision: inner.knownRevision?.bind(inner),
    get: (...given) => inner.get(...given),
    list: (...given) => inner.list(...given),
    create: (...given) => inner.create(...given),
    update: (...given) => inner.update(...given),
    delete: (...given) => inner.delete(...given),
    watch: (...given) => inner.watch(...given),
    expiries: (prefix) => inner.expiries(prefix),
    currentRevision: () => inner.currentRevision(),
    compactedRevision: () => inner.compactedRevision(),
    compact: (...given) => inner.compact(...given),
    ping: () => inner.ping(),
    pingWrites: inner.pingWrites?.bind(inner),
    isStale: inner.isStale?.bind(inner),
    encryption: inner.encryption,
    close: () => inner.close(),
  };
}
