import { existsSync } from 'node:fs';
import { dialects, orch, type Dialect } from '../../names/index.js';
import { readStoreMark, STORE_MARK_KEY } from '../../storage/index.js';
import type { StoreSnapshot } from '../../storage/transfer/index.js';
import { StartError, UsageError } from '../usage-error.js';
import { defaultDirectory, storeFile } from './choice.js';

/**
 * The name of the dialect that a state says of itself; undefined when it says none.
 *
 * @throws UnusableStoreError when it is of a later layout
 */
export async function dialectOf(state: Pick<StoreSnapshot, 'batches'>): Promise<string | undefined> {
  for await (const batch of state.batches()) {
    const mark = batch.find(({ key }) => key === STORE_MARK_KEY);
    if (mark !== undefined) return readStoreMark(mark).dialect;
  }
  return undefined;
}

/** What is wrong with a store or backup that is not of the dialect which the flag says; undefined when nothing is. */
export function dialectProblem(what: string, found: string | undefined, said: Dialect | undefined): string | undefined {
  return said === undefined || found === undefined || found === said.name
    ? undefined
    : `--dialect ${said.name}: ${what} is of the dialect ${found}; leave the flag out, or choose another place`;
}

/** @throws StartError when a store or backup is not of the dialect which the flag says */
export function refuseOtherDialect(what: string, found: string | undefined, said: Dialect | undefined): void {
  const problem = dialectProblem(what, found, said);
  if (problem !== undefined) throw new StartError(problem);
}

/**
 * Where the one store is that has no place of its own: beside the kubeconfig, in the directory of its dialect.
 *
 * @throws UsageError when several dialects have one there, naming them
 */
export function presentDirectory(): string {
  const directories = [...dialects.values()].map(defaultDirectory);
  const present = directories.filter((directory) => existsSync(storeFile({ directory })));
  if (present.length > 1)
    throw new UsageError(
      `there are ${present.length} stores, ${present.map((directory) => storeFile({ directory })).join(' and ')}: choose one with --dialect or --data-dir`,
    );
  return present[0] ?? defaultDirectory(orch);
}
