import type { JsonObject } from '../../meta/json.js';
import type { Managers } from '../merge/managers.js';

/** A write that is no apply. The objects carry no managedFields. */
export interface UpdateOperation {
  readonly kind: 'update';
  /** State before; of a create the object that a create starts from. */
  readonly live: JsonObject;
  /** The object did not exist. */
  readonly creating: boolean;
  /** State after. */
  readonly object: JsonObject;
  /** The writer asked for all records to be cleared. */
  readonly reset: boolean;
  readonly managers: Managers;
  /** Name of the writer. */
  readonly manager: string;
  /** Identifier of the record that the change is written to. Empty outside of the rule that builds it. */
  readonly identifier: string;
  readonly subresource: string;
  readonly nowMs: number;
}

/** An apply. The live object carries no managedFields. */
export interface ApplyOperation extends Omit<UpdateOperation, 'kind' | 'object' | 'reset'> {
  readonly kind: 'apply';
  /** The intent, as it was sent. */
  readonly applied: JsonObject;
  readonly force: boolean;
}

/** What comes of an apply, on its way out. */
export interface ApplyResult {
  /** The new state; undefined when it is the live one. */
  readonly object: JsonObject | undefined;
  readonly managers: Managers;
}

/**
 * One rule of field management. Rules wrap each other: each sees an operation, may change it before it hands it to the
 * next, and may change the result. Nothing is mutated; a rule returns new records.
 */
export interface FieldManagerRule {
  /** The managers after an update. */
  update(operation: UpdateOperation): Managers;
  /** The object and the managers after an apply. */
  apply(operation: ApplyOperation): ApplyResult;
}
