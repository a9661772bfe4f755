import type { Storage } from '../../storage/index.js';
import type { ResourceInfo } from '../definition/resource-info.js';

/** The numbers of objects in the course of one list. */
export interface ListTally {
  /** Objects that were read from the storage. */
  fetched: number;
  /** Objects that a selector was applied to; without one, all that were read. */
  evaluated: number;
}

/** Measures what one kind does with the storage. */
export interface StoreMeter {
  /** Returns a storage that measures its calls. It must not delay them. */
  measured(storage: Storage): Storage;
  /** Reports a list that was answered. */
  listed(tally: ListTally, returned: number): void;
  /** Reports objects of the state that a watch begins with. */
  sentInitially(objects: number): void;
  /** Reports a watcher that was ended because it was too slow. */
  lostWatcher(): void;
}

/** Returns what measures a kind. Kinds that share their objects share their measures. */
export type StoreMeters = (info: ResourceInfo) => StoreMeter;
