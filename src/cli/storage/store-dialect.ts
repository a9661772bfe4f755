import { existsSync } from 'node:fs';
import { dialects, orch, type Dialect } from '../../foundation/index.js';
import { readStoreMark, STORE_MARK_KEY, type StoreSnapshot } from '../../storage/index.js';
import { StartError, UsageError } from '../usage-error.js';
import { defaultDirectory, storeFile } from './choice.js';

/** Returns the name of the dialect recorded in a snapshot, or undefined when it has none.
 *
 * @throws UnusableStoreError when its layout is of a later version
 */
export async function dialectOf(state: Pick<StoreSnapshot, 'batches'>): Promise<string | undefined> {
  for await (const batch of state.batches()) {
    const mark = batch.find(({ key }) => key === STORE_MARK_KEY);
    if (mark !== undefined) return readStoreMark(mark).dialect;
  }
  return undefined;
}

/** Returns the problem when the dialect of a store or backup differs from the flag; undefined otherwise. */
export function dialectProblem(
  what: string,
  found: string | undefined,
  wanted: Dialect | undefined,
): string | undefined {
  return wanted === undefined || found === undefined || found === wanted.name
    ? undefined
    : `--dialect ${wanted.name}: ${what} is of the dialect ${found}; omit the flag, or choose another location`;
}

/** @throws StartError when the dialect of a store or backup differs from the flag */
export function refuseOtherDialect(what: string, found: string | undefined, wanted: Dialect | undefined): void {
  const problem = dialectProblem(what, found, wanted);
  if (problem !== undefined) throw new StartError(problem);
}

/**
 * Returns the directory of the only store in a default location (beside the kubeconfig, one per dialect).
 *
 * @throws UsageError that names the stores when there are several
 */
export function existingStoreDirectory(): string {
  const directories = [...dialects.values()].map(defaultDirectory);
  const present = directories.filter((directory) => existsSync(storeFile({ directory })));
  if (present.length > 1)
    throw new UsageError(
      `there are ${present.length} stores, ${present.map((directory) => storeFile({ directory })).join(' and ')}: choose one with --dialect or --data-dir`,
    );
  return present[0] ?? defaultDirectory(orch);
}
