import type { ApiObject, StoredObject } from '../../foundation/index.js';
import type { Begun } from '../writes/write-hooks.js';

/** Options that every write takes. */
export interface WriteOptions {
  /** Runs every step but the write. */
  readonly dryRun?: boolean | undefined;
  /** Changes the object before the registry prepares it (mutating admission, field ownership). Throws to refuse. */
  readonly mutate?: ((object: ApiObject, old: StoredObject | undefined) => void | Promise<void>) | undefined;
  /**
   * Validating admission, with the object as it would be stored. Throws to refuse. The function that it
   * returns is called once, when this attempt to write has ended.
   */
  readonly admit?: ((object: StoredObject, old: StoredObject | undefined) => Begun | Promise<Begun>) | undefined;
}
