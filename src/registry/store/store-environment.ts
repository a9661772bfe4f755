import type { Clock, Dialect } from '../../foundation/index.js';
import type { MemoryBudget, Storage } from '../../storage/index.js';
import type { ResourceDefinition } from '../definition/definition.js';
import type { DecodedForms } from '../records/decoded-forms.js';
import type { ContinueTokens } from '../verbs/continue-token.js';
import type { WatchLog } from '../watch/watch-log.js';
import type { WriteHooks } from '../writes/write-hooks.js';
import type { StoreMeters } from './store-meter.js';

/** The environment that all stores of a server share. */
export interface StoreEnvironment {
  readonly storage: Storage;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly continueTokens: ContinueTokens;
  /** Memory budget of the server, which the storage, the watch logs and the caches share. */
  readonly memory: MemoryBudget;
  readonly decodedForms: DecodedForms;
  /** Maximum age of watch events, in milliseconds. */
  readonly watchHistoryMs: number;
  /** Maximum number of watch events kept per kind. */
  readonly watchHistoryEvents: number;
  readonly bookmarkIntervalMs: number;
  /** Maximum time that a request for a future version waits, in milliseconds. */
  readonly revisionWaitMs: number;
  /** Whether `sendInitialEvents` is allowed. */
  readonly watchList: boolean;
  /** Watch logs by key prefix; the versions of one kind share one log. */
  readonly watchLogs: Map<string, Promise<WatchLog>>;
  /** The indexes for the selectors of lists, and of objects that select others. The server closes them. */
  readonly selectorIndexes: Set<{ close(): void }>;
  /** Storages of kinds whose objects are computed when they are read. */
  readonly computed?: ReadonlyMap<ResourceDefinition, Storage> | undefined;
  /** Returns what measures a kind. Default: none is measured. */
  readonly meters?: StoreMeters | undefined;
  /** Work around the writes of single kinds. */
  readonly writeHooks?: ReadonlyMap<ResourceDefinition, WriteHooks> | undefined;
}
