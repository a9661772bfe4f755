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
