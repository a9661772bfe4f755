import { shareTurn } from '../../../foundation/index.js';
import type { StorageMatches } from '../../storage-index.js';
import type { Revision, StorageRecord } from '../../storage.js';
import type { TreePosition } from './record-tree.js';
import type { SlotMask } from './slot-set.js';

/** Number of records that are compared with a mask in one step. A longer walk continues in slices, over a copy. */
const WALK_AT_ONCE = 65_536;
const WALK_STEPS = 1024;

/** Compares the records of a range with a mask. All of them are of the state at the call, whatever is written later. */
export function walkRange(
  position: TreePosition,
  total: number,
  mask: SlotMask,
  { most, revision, exact }: { most: number; revision: Revision; exact: boolean },
): StorageMatches | Promise<StorageMatches> {
  const records: StorageRecord[] = [];
  const walked = position.select(mask, Math.min(total, WALK_AT_ONCE), most, records);
  if (records.length === most || walked === total) return { records, revision, remaining: total - walked, exact };
  const rest = position.copy(total - walked);
  return (async () => {
    for (let remaining = total - walked; ;) {
      await shareTurn();
      remaining -= rest.select(mask, Math.min(remaining, WALK_STEPS), most, records);
      if (records.length === most || remaining === 0) return { records, revision, remaining, exact };
    }
  })();
}
