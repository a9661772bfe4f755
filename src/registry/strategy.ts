import type { FieldError } from '../meta/field-error.js';
import type { NameRule } from '../meta/names.js';
import type { RequestContext } from './context.js';
import type { NamedObject, Unvalidated } from './object-types.js';

export type { NameRule };

/** Paths of fields, by their names. */
export type ResetFields = readonly (readonly string[])[];

/**
 * What a kind means, beyond its schema. The registry calls the hooks in this order; all are optional.
 *
 * Create: `defaults` (when decoded), `prepareForCreate`, `validateNew` or `validate`, `canonicalize`.
 * Update: `defaults`, `prepareForUpdate`, `validate`, `validateUpdate`, `canonicalize`.
 *
 * Mutation contract: `defaults`, the `prepare…` hooks and `canonicalize` may change `object` and nothing else; `old` is
 * never changed by anybody; `validate…` and the predicates change nothing and have no side effects.
 */
export interface Strategy<Item = NamedObject> {
  /** Rule for names; the default is a DNS subdomain (RFC 1123). */
  readonly nameRule?: NameRule;
  /** The rule for the name of one object, where it depends on what else the object says; goes before {@link nameRule}. */
  nameRuleOf?(object: Unvalidated<Item>): NameRule;
  /** PUT to a name that does not exist creates it. Default false. */
  readonly allowCreateOnUpdate?: boolean;
  /** PUT without a resourceVersion replaces whatever is there. Default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** `metadata.generation` starts at 1 and goes up with every change outside of metadata and status. Default: only kinds with `status` and user-defined kinds. */
  readonly countsGeneration?: boolean;
  /** A successful DELETE that removes the object answers with the object instead of a Status. Default false. */
  readonly deleteReturnsObject?: boolean;
  /** A DELETE of the collection answers with a Status instead of the deleted list. Default false. */
  readonly deleteCollectionReturnsStatus?: boolean;
  /** Milliseconds after its last write at which an object vanishes by itself. */
  readonly ttlMs?: number;
  /** Fields that writers of the main resource neither own nor take from others, since they are kept as they were: `[['status']]`. Default: `status`, where it is a subresource. */
  readonly resetFields?: ResetFields;

  /** Fills in what the schema's defaults cannot express. Runs on every decoded object, before admission. */
  defaults?(object: Unvalidated<Item>, context: RequestContext): void;
  /** Clears what a creator may not set and sets what the server decides. */
  prepareForCreate?(object: Unvalidated<Item>, context: RequestContext): void;
  /** Puts back what a writer of the main resource may not change. */
  prepareForUpdate?(object: Unvalidated<Item>, old: Item, context: RequestContext): void;
  /**
   * Rules of the kind for one state of the object. The schema and the metadata are checked already.
   *
   * @param old the state before; undefined of a new object
   */
  validate?(object: Item, context: RequestContext, old?: Item): FieldError[];
  /** Rules for a new object that have to be waited for, such as a signature; asked in place of {@link validate}, which then is asked about changes only. */
  validateNew?(object: Item, context: RequestContext): Promise<FieldError[]>;
  /** Rules of the kind for a change. Runs after {@link validate} of the new state. */
  validateUpdate?(object: Item, old: Item, context: RequestContext): FieldError[];
  /** Brings a valid object into its one form. */
  canonicalize?(object: Item, context: RequestContext): void;
  /** Texts for the `Warning` header of a create or update. */
  warnings?(object: Item, old: Item | undefined, context: RequestContext): string[];
  /**
   * For a kind whose spec holds finalizers of its own: how its end begins, and whether they are all gone. `begin` may change
   * `object`; the registry has set the deletionTimestamp already.
   */
  readonly finalization?: {
    begin(object: Item, context: RequestContext): void;
    isFinalized(object: Item): boolean;
  };
  /**
   * Seconds that a deleted object is kept for a graceful end, given what the caller asked for. Undefined: the kind knows
   * no graceful deletion. Zero: at once.
   */
  gracePeriodSeconds?(object: Item, requested: number | undefined): number | undefined;
}

/** How a subresource that writes a part of its object differs from the main resource. */
export interface SubresourceStrategy<Item = NamedObject> {
  /** Fields that writers of this subresource neither own nor take from others. Default: of `status` the spec and some metadata, of others none. */
  readonly resetFields?: ResetFields;
  /** Keeps of `object` only what this subresource may change; the rest comes from `old`. */
  prepareForUpdate(object: Unvalidated<Item>, old: Item, context: RequestContext): void;
  /** Rules for the change; the schema and the metadata are checked already. */
  validateUpdate?(object: Item, old: Item, context: RequestContext): FieldError[];
}
