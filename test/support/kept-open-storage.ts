import type { Clock } from '../../src/meta/clock.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { decorateStorage, type Storage } from '../../src/storage/index.js';

/** A memory storage used by several servers, consecutively or concurrently: none of them closes it. */
export const keptOpenStorage = (clock: Clock): Storage =>
  decorateStorage(createMemoryStorage({ clock }), { close: () => Promise.resolve() });
