import type { JsonObject, Steps } from '../../../foundation/index.js';
import type { Managers } from '../merge/managers.js';
import type { Pace } from '../merge/pace.js';

/** A write other than an apply. The objects have no managedFields. */
export interface UpdateOperation {
  readonly kind: 'update';
  readonly pace: Pace;
  /** State before the write; for a create, the zero object. */
  readonly live: JsonObject;
  /** True when the object did not exist. */
  readonly creating: boolean;
  /** State after the write. */
  readonly object: JsonObject;
  readonly managers: Managers;
  /** Name of the writer. */
  readonly manager: string;
  /** Identifier of the record that the change is written to. Empty until {@link ManagerInfo} sets it. */
  readonly identifier: string;
  readonly subresource: string;
  readonly nowMs: number;
}

/** An apply. The live object has no managedFields. */
export interface ApplyOperation extends Omit<UpdateOperation, 'kind' | 'object'> {
  readonly kind: 'apply';
  /** The intent as it was sent. */
  readonly applied: JsonObject;
  readonly force: boolean;
}

/** The result of an apply. */
export interface ApplyResult {
  /** The new state; undefined when it equals the live one. */
  readonly object: JsonObject | undefined;
  readonly managers: Managers;
}

/**
 * One rule of field management. Rules wrap each other: each rule may change the operation before it passes it to the
 * next rule, and may change the result. Nothing is mutated; a rule returns new records.
 */
export interface FieldManagerRule {
  /** Returns the managers after an update. */
  update(operation: UpdateOperation): Steps<Managers>;
  /** Returns the object and the managers after an apply. */
  apply(operation: ApplyOperation): Steps<ApplyResult>;
}
