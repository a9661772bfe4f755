import { useEffect, useState } from 'preact/hooks';
import type { LiveTable } from '../data/live-table.js';
import type { Row } from '../data/rows.js';

/** Returns the rows that are picked and still exist. */
export const pickedRows = (table: LiveTable | undefined, picked: ReadonlySet<string>): readonly Row[] =>
  [...picked].flatMap((uid) => {
    const row = table?.byUid.get(uid);
    return row === undefined || row.goneAt !== undefined ? [] : [row];
  });

/** The rows that are picked, and whether rows are held in their places since somebody is about to use one. */
export function usePicked(table: LiveTable | undefined) {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [holding, setHolding] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => setPicked(new Set()), [table]);
  const pick = (rows: readonly Row[], on: boolean): void =>
    setPicked((before) =>
      changedSet(
        before,
        rows.map(({ uid }) => uid),
        on,
      ),
    );
  const hold = (by: string, on: boolean): void => setHolding((before) => changedSet(before, [by], on));
  const pickNone = (): void => setPicked(new Set());
  // Rows that were deleted elsewhere hold no others.
  const isHeld = holding.size > 0 || pickedRows(table, picked).length > 0;
  return { picked, pick, pickNone, isHeld, hold };
}

/** Returns a set with some members, or without them; the same one if it has not changed. */
function changedSet(before: ReadonlySet<string>, members: readonly string[], on: boolean): ReadonlySet<string> {
  if (members.every((member) => before.has(member) === on)) return before;
  const after = new Set(before);
  for (const member of members)
    if (on) after.add(member);
    else after.delete(member);
  return after;
}
