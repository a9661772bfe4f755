import { vi } from 'vitest';
import type { Clock } from '../../src/meta/clock.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import type { Storage } from '../../src/storage/index.js';

/** A storage in memory that several servers use, one after the other or at a time: none of them closes it. */
export function keptOpenStorage(clock: Clock): Storage {
  const storage = createMemoryStorage({ clock });
  vi.spyOn(storage, 'close').mockResolvedValue();
  return storage;
}
