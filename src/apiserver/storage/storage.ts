import type { Clock } from '../../foundation/index.js';
import { createMemoryStorage, withDecorators, type Storage, type StorageDecorator } from '../../storage/index.js';

/** The parts of a server that its storage works with. */
export interface EngineParts {
  readonly clock: Clock;
  /** Age of the history that a storage in memory keeps, in milliseconds. */
  readonly historyMs: number;
}

/**
 * The decorators that every server puts above its engine, from the innermost to the outermost. There are none so far:
 * an engine in another process brings its own cache of reads.
 */
const DECORATORS: readonly StorageDecorator[] = [];

/**
 * Returns the storage of a server: its engine below the decorators. All parts of the server use this storage and never
 * the engine itself.
 *
 * @param decorators further ones, from the innermost to the outermost
 */
export function storageOf(engine: Storage, decorators: readonly StorageDecorator[]): Storage {
  return withDecorators(engine, [...DECORATORS, ...decorators]);
}

/** Returns the engine of a server, default in memory. */
export function engineOf(engine: Storage | undefined, { clock, historyMs }: EngineParts): Storage {
  return engine ?? createMemoryStorage({ clock, history: historyMs });
}
