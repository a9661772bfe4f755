import type { StorageEvent } from '../../../src/storage/storage.js';

/** The order for a child. */
export interface CrashOrder {
  readonly path: string;
  /** The revision up to which events were seen before. */
  readonly watchFrom: number;
  readonly seed: number;
  readonly durability: 'full' | 'relaxed';
  /** It kills itself soon after this number of write reports. */
  readonly killAfter: number;
}

/** A report of a child. */
export type CrashReport =
  | {
      readonly kind: 'event';
      readonly type: StorageEvent['type'];
      readonly key: string;
      readonly revision: number;
      readonly text: string;
    }
  | {
      readonly kind: 'state';
      readonly revision: number;
      readonly records: readonly (readonly [key: string, modRevision: number, text: string])[];
    }
  | { readonly kind: 'try'; readonly id: string; readonly op: StorageEvent['type']; readonly key: string }
  | { readonly kind: 'ok'; readonly id: string; readonly revision: number }
  | { readonly kind: 'refused'; readonly id: string }
  | { readonly kind: 'ended'; readonly reason: string };

/** The text that a write stores: complete if its length is the one stated at its beginning. */
export function textOf(id: string, revision: number): string {
  const length = 100 + ((revision * 7919) % 1500);
  return `${id}@${revision}:`.padEnd(length, '.');
}
