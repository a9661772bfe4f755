import type { Client, KindReference, UntypedInput, UntypedObject } from '../../client/index.js';
import { shown } from '../../foundation/index.js';
import type { InputOf, ObjectOf, ResourceDefinition } from '../../registry/index.js';
import type { AnyObject, AnyResource } from '../runtime/served-kinds.js';
import type { InformerSelection } from '../runtime/shared-informers.js';

export { isSameKind } from '../runtime/shared-informers.js';

/** A kind: its definition, or its names, such as `{ apiVersion: 'v1', kind: 'Pod' }`. */
export type KindLike = ResourceDefinition | KindReference;

/** Some of the objects of a kind, as a controller reads them. Made by {@link view}. */
export interface View<Kind extends KindLike = KindLike> extends InformerSelection {
  readonly of: Kind;
}

/** The objects that a controller follows: all objects of a kind, or those of a view. */
export type Source = KindLike | View;

/** The objects of a kind or view. */
export type ItemOf<Followed> =
  Followed extends View<infer Kind>
    ? ItemOf<Kind>
    : Followed extends ResourceDefinition
      ? ObjectOf<Followed>
      : UntypedObject;

/** The input that creates an object of a kind or view. */
export type SourceInput<Followed> =
  Followed extends View<infer Kind>
    ? SourceInput<Kind>
    : Followed extends ResourceDefinition
      ? InputOf<Followed>
      : UntypedInput;

/**
 * Returns the objects of a kind in one namespace, or with certain labels or fields. Nothing else is read or cached.
 *
 * ```
 * const copies = view(Secret, { labelSelector: 'copied=yes' });
 * ```
 *
 * @throws TypeError when the first argument is not a kind
 */
export function view<const Kind extends KindLike>(kind: Kind, selection: InformerSelection): View<Kind> {
  if (!isKind(kind)) throw new TypeError(`view: the first argument must be a kind, got ${shown(kind)}`);
  return Object.freeze({ ...selection, of: kind });
}

/** Returns whether a value is a kind: a definition, or names. */
export const isKind = (value: unknown): value is KindLike =>
  typeof value === 'object' && value !== null && 'kind' in value && ('plural' in value || 'apiVersion' in value);

/** Returns whether a value is a {@link Source}. */
export const isSource = (value: unknown): value is Source =>
  isKind(value) || (typeof value === 'object' && value !== null && 'of' in value && isKind(value.of));

/** Returns the kind of a source. */
export const kindOf = (source: Source): KindLike => ('of' in source ? source.of : source);

/** Returns the selection of a source; none for a kind. */
export const selectionOf = (source: Source): InformerSelection => ('of' in source ? source : {});

/** Returns the client of a kind in all namespaces. */
export const resourceOf = (client: Client, kind: KindLike): AnyResource =>
  'plural' in kind ? client.resource(kind) : client.resource(kind);

/** An object that a source delivers. */
export type SourceObject = AnyObject;
