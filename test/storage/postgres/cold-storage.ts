import { MemoryBudget } from '../../../src/entries/storage.js';
import type { PostgresStorageOptions } from '../../../src/storage/postgres/index.js';
import type { Storage } from '../../../src/storage/storage.js';

/**
 * Opens a store whose texts are in memory up to a limit, and resolves when reads are answered from its keys.
 *
 * @param open opens it with the given options
 */
export async function coldStorage(
  cacheObjects: number,
  open: (options: Pick<PostgresStorageOptions, 'cacheObjects' | 'watchCache'>) => Promise<Storage>,
  budget = new MemoryBudget(),
): Promise<Storage> {
  let serve: () => void = () => undefined;
  const serving = new Promise<void>((resolve) => (serve = resolve));
  const onStatus = ({ kind }: { readonly kind: string }): void => {
    if (kind === 'serving') serve();
  };
  const storage = await open({ cacheObjects, watchCache: { onStatus } });
  storage.shareBudget?.(budget);
  await serving;
  return storage;
}

/** How a store answers reads: the database does, or the watch cache does from its keys, with few texts in memory. */
export const waysToRead = [
  { reads: 'the database answers reads', cacheObjects: undefined },
  { reads: 'no texts are in memory', cacheObjects: 0 },
] as const;

/** Opens a store that answers reads in one of {@link waysToRead}; with a cache, when that answers. */
export const openToRead = (
  { cacheObjects }: { readonly cacheObjects: number | undefined },
  open: (options: Pick<PostgresStorageOptions, 'cacheObjects' | 'watchCache'>) => Promise<Storage>,
): Promise<Storage> => (cacheObjects === undefined ? open({ watchCache: false }) : coldStorage(cacheObjects, open));
