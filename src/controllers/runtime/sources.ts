import type { Client, KindReference, UntypedInput, UntypedObject } from '../../client/index.js';
import { shown } from '../../foundation/index.js';
import type { InputOf, ObjectOf, ResourceDefinition } from '../../registry/index.js';
import type { Informer } from './informer.js';
import type { InformedObject } from './informer-cache.js';
import type { AnyObject, AnyResource } from './served-kinds.js';

/** A kind: its definition, or its names, such as `{ apiVersion: 'v1', kind: 'Pod' }`. */
export type KindLike = ResourceDefinition | KindReference;

/** Which objects of a kind a controller reads. Default: all. */
export interface InformerSelection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Options of {@link view}. */
export interface ViewOptions<Item> extends InformerSelection {
  /**
   * Reduces an object to the part that is cached; it must keep name, namespace, uid and resourceVersion. Views share a
   * cache only when they have the same function. Default: the whole object.
   */
  readonly keep?: ((object: Item) => Item) | undefined;
}

/** Some of the objects of a kind, or parts of them, as a controller reads them. Made by {@link view}. */
export interface View<Kind extends KindLike = KindLike> extends InformerSelection {
  readonly of: Kind;
  /** @internal */
  readonly keep?: ((object: AnyObject) => AnyObject) | undefined;
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

/** The informer of a kind or view. */
export type InformerOf<Followed> = ItemOf<Followed> extends infer Item extends InformedObject ? Informer<Item> : never;

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
export function view<const Kind extends KindLike>(kind: Kind, options: ViewOptions<ItemOf<Kind>>): View<Kind> {
  if (!isKind(kind)) throw new TypeError(`view: the first argument must be a kind, got ${shown(kind)}`);
  // The informer of the view delivers objects of its kind.
  return Object.freeze({ ...options, of: kind } as View<Kind>);
}

/** Returns whether a value is a kind: a definition, or names. */
const isKind = (value: unknown): value is KindLike =>
  typeof value === 'object' && value !== null && 'kind' in value && ('plural' in value || 'apiVersion' in value);

/** Returns whether a value is a {@link Source}. */
export const isSource = (value: unknown): value is Source =>
  isKind(value) || (typeof value === 'object' && value !== null && 'of' in value && isKind(value.of));

/** Returns the kind of a source. */
export const kindOf = (source: Source): KindLike => ('of' in source ? source.of : source);

/** Returns the selection of a source; none for a kind. */
export const selectionOf = (source: Source): InformerSelection => ('of' in source ? source : {});

/** Returns the client of a kind in all namespaces. */
export const resourceOf = (client: Pick<Client, 'resource'>, kind: KindLike): AnyResource =>
  'plural' in kind ? client.resource(kind) : client.resource(kind);

/** Returns whether two values name the same kind. */
export function isSameKind(a: KindLike, b: KindLike): boolean {
  if (a === b) return true;
  return 'apiVersion' in a && 'apiVersion' in b && a.kind === b.kind && a.apiVersion === b.apiVersion;
}
