import type { Clock } from '../../src/foundation/time/clock.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { decorateStorage, type Storage } from '../../src/entries/storage.js';

/** A memory storage used by several servers, consecutively or concurrently: none of them closes it. */
export const keptOpenStorage = (clock: Clock): Storage =>
  decorateStorage(createMemoryStorage({ clock }), { close: () => Promise.resolve() });
