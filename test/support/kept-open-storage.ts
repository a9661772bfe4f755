import { vi } from 'vitest';
import type { Clock } from '../../src/meta/clock.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import type { Storage } from '../../src/storage/index.js';

/** A memory storage used by several servers, consecutively or concurrently: none of them closes it. */
export function keptOpenStorage(clock: Clock): Storage {
  const storage = createMemoryStorage({ clock });
  vi.spyOn(storage, 'close').mockResolvedValue();
  return storage;
}
