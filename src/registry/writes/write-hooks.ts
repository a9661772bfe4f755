import { StorageError } from '../../storage/index.js';
import type { NamedObject, Unvalidated } from '../definition/object-types.js';
import type { RequestContext } from '../store/context.js';

/**
 * How a write ended. `unknown`: the storage failed while it wrote, so the object may or may not be stored; what the
 * write took must be neither given back nor kept without a check.
 */
export type WriteOutcome = 'stored' | 'refused' | 'unknown';

/** Ends what a hook has begun. Must not throw. */
export type FinishWrite = (outcome: WriteOutcome) => void | Promise<void>;

/** The properties of a write that a hook learns. */
export interface WriteScope {
  readonly context: RequestContext;
  /** Whether nothing will be stored. A hook then takes nothing. */
  readonly dryRun: boolean;
}

/**
 * Work around the writes of one kind that needs more than the object: a service takes addresses from a range that all
 * services share. The assembly provides the hooks of a kind to its store; a strategy, in contrast, has no state.
 *
 * A `begin…` hook runs before the strategy prepares and validates the object, and may change it. It throws to refuse
 * the write. The function that it returns is called exactly once, when the write has ended. An update that conflicts
 * with another one begins and ends each attempt. Writes to subresources have no hooks.
 *
 * @see release 1.31, `BeginCreate`, `BeginUpdate` and `AfterDelete` of genericregistry.Store
 */
export interface WriteHooks<Item = NamedObject> {
  beginCreate?(object: Unvalidated<Item>, scope: WriteScope): Promise<FinishWrite | undefined>;
  beginUpdate?(object: Unvalidated<Item>, old: Item, scope: WriteScope): Promise<FinishWrite | undefined>;
  /** Runs after an object is removed, not after it is marked for deletion. Must not throw. */
  afterDelete?(object: Item, context: RequestContext): Promise<void>;
}

/** The work that a hook or validating admission has begun for a write, if any: the function that ends it. */
export type Begun = void | FinishWrite;

/**
 * Runs a write that a hook or validating admission has begun, and ends it.
 *
 * @param isStored returns whether the write stored the object that the hook has seen
 */
export function finishing<Result>(
  begun: Begun | Promise<Begun>,
  write: () => Promise<Result>,
  isStored: (result: Result) => boolean,
): Promise<Result> {
  if (begun instanceof Promise) return begun.then((finish) => finishing(finish, write, isStored));
  return begun === undefined ? write() : writeAndFinish(begun, write, isStored);
}

async function writeAndFinish<Result>(
  finish: FinishWrite,
  write: () => Promise<Result>,
  isStored: (result: Result) => boolean,
): Promise<Result> {
  let result: Result;
  try {
    result = await write();
  } catch (error) {
    await finish(error instanceof StorageError && error.code === 'Unavailable' ? 'unknown' : 'refused');
    throw error;
  }
  await finish(isStored(result) ? 'stored' : 'refused');
  return result;
}
