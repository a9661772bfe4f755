import type { Duration, FieldError, MaybeSteps, NameRule } from '../../foundation/index.js';
import type { RequestContext } from '../store/context.js';
import type { NamedObject, Unvalidated } from './object-types.js';

export type { NameRule };

/** Paths of fields, each a list of field names. */
export type ResetFields = readonly (readonly string[])[];

/**
 * The behaviour of a kind beyond its schema. The registry calls the hooks in this order; all are optional.
 *
 * Create: `defaults` (after decoding), `prepareForCreate`, `validateNew` or `validate`, `canonicalize`.
 *
 * Update: `defaults`, `prepareForUpdate`, `validate`, `validateUpdate`, `canonicalize`.
 *
 * Hooks that return {@link MaybeSteps} may be generator functions: a hook that goes through long lists yields each time
 * that the `spend` of `context.work` says so, and others are served meanwhile.
 *
 * Mutation contract: `defaults`, the `prepare…` hooks and `canonicalize` may change only `object`; no hook changes
 * `old`; `validate…` and the predicates change nothing and have no side effects.
 */
export interface Strategy<Item = NamedObject> {
  /** Rule for names; the default is a DNS subdomain (RFC 1123). */
  readonly nameRule?: NameRule | undefined;
  /**
   * Returns the rule for the name of one object, when it depends on other fields; takes precedence over {@link
   * nameRule}.
   */
  nameRuleOf?(object: Unvalidated<Item>): NameRule;
  /** Whether a PUT creates an object that does not exist. Default false. */
  readonly allowCreateOnUpdate?: boolean | undefined;
  /** Whether a PUT without a resourceVersion replaces the current object. Default true. */
  readonly allowUnconditionalUpdate?: boolean | undefined;
  /**
   * Whether `metadata.generation` starts at 1 and counts every change outside of metadata and status. Default: true for
   * user-defined kinds, false for built-in kinds, whose `prepare…` hooks may set it: before `prepareForUpdate` it is
   * the previous generation.
   */
  readonly countsGeneration?: boolean | undefined;
  /** Whether a DELETE that removes the object returns the object instead of a Status. Default false. */
  readonly deleteReturnsObject?: boolean | undefined;
  /** Whether a DELETE of the collection returns a Status instead of the deleted list. Default false. */
  readonly deleteCollectionReturnsStatus?: boolean | undefined;
  /** Whether a DELETE without a propagation policy orphans the dependents of the object. Default false. */
  readonly orphansDependents?: boolean | undefined;
  /** Time to live of an object after its last write: `1h`, or milliseconds. Default: it lives until it is deleted. */
  readonly ttl?: Duration | undefined;
  /**
   * `qualified`: a finalizer without a domain must be a standard one. `any`: every qualified name is allowed. Default:
   * `qualified` for built-in kinds, `any` for user-defined kinds.
   */
  readonly finalizerDomains?: 'qualified' | 'any' | undefined;
  /**
   * Fields that a write to the main resource keeps unchanged and therefore does not own: `[['status']]`. Default:
   * `status`, where it is a subresource.
   */
  readonly resetFields?: ResetFields | undefined;

  /**
   * Loads the code that the validation needs, such as a library. Awaited before every validation; undefined when
   * everything is loaded.
   */
  load?(object: Unvalidated<Item>): Promise<void> | undefined;
  /** Sets defaults that the schema cannot express. Runs on every decoded object, before admission. */
  defaults?(object: Unvalidated<Item>, context: RequestContext): MaybeSteps<void>;
  /** Clears the fields that a client may not set, and sets the fields that the server decides. */
  prepareForCreate?(object: Unvalidated<Item>, context: RequestContext): MaybeSteps<void>;
  /** Restores the fields that a write to the main resource may not change. */
  prepareForUpdate?(object: Unvalidated<Item>, old: Item, context: RequestContext): MaybeSteps<void>;
  /**
   * Checks one state of the object. The schema and the metadata are already checked.
   *
   * @param old the previous state; undefined for a new object
   */
  validate?(object: Item, context: RequestContext, old?: Item): MaybeSteps<FieldError[]>;
  /**
   * Checks a new object when the check may have to wait, for example for a signature. It replaces {@link validate} for
   * creates; `validate` then runs for changes only.
   */
  validateNew?(object: Item, context: RequestContext): MaybeSteps<FieldError[]> | Promise<FieldError[]>;
  /** Checks a change. Runs after {@link validate} of the new state. */
  validateUpdate?(object: Item, old: Item, context: RequestContext): MaybeSteps<FieldError[]>;
  /** Checks a change when the check may have to wait. It replaces {@link validateUpdate}. */
  validateChange?(object: Item, old: Item, context: RequestContext): MaybeSteps<FieldError[]> | Promise<FieldError[]>;
  /** Normalizes a valid object. */
  canonicalize?(object: Item, context: RequestContext): MaybeSteps<void>;
  /** Returns warnings for the client of a create or update, which the header `Warning` carries. */
  warnings?(object: Item, old: Item | undefined, context: RequestContext): MaybeSteps<string[]>;
  /**
   * Finalization of a kind whose spec holds its own finalizers. `begin` starts it and may change `object`, whose
   * deletionTimestamp is already set; `isFinalized` returns whether all finalizers are gone.
   */
  readonly finalization?:
    | {
        begin(object: Item, context: RequestContext): void;
        isFinalized(object: Item): boolean;
      }
    | undefined;
  /**
   * Returns the grace period of a delete in seconds, given the requested one. Undefined: the kind has no graceful
   * deletion. Zero: immediate deletion.
   */
  gracePeriodSeconds?(object: Item, requested: number | undefined): number | undefined;
}

/** The behaviour of a subresource that writes a part of its object, as far as it differs from the main resource. */
export interface SubresourceStrategy<Item = NamedObject> {
  /**
   * Fields that a write to this subresource keeps unchanged and therefore does not own. Default: for `status`, the spec
   * and some metadata; for others, none.
   */
  readonly resetFields?: ResetFields | undefined;
  /** Keeps only the fields of `object` that this subresource may change, and takes the rest from `old`. */
  prepareForUpdate(object: Unvalidated<Item>, old: Item, context: RequestContext): MaybeSteps<void>;
  /** Checks a change. The schema and the metadata are already checked. */
  validateUpdate?(object: Item, old: Item, context: RequestContext): MaybeSteps<FieldError[]>;
}
