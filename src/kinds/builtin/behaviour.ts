import type {
  CellSteps,
  Conversion,
  NamedObject,
  Strategy,
  SubresourceStrategy,
  ViewSubresource,
} from '../../registry/index.js';

/** The fields of a kind besides those that every object has. */
export type FieldsOf<Kind> = Omit<Kind, 'apiVersion' | 'kind' | 'metadata'>;

/** The objects of a kind as the server stores them, by its type in `src/kinds/types`. */
export type StoredKind<Kind> = NamedObject & FieldsOf<Kind>;

/**
 * The cells of the Table form, by the name of the column. They depend on nothing but the object; one that changes with
 * the time is a function of it.
 */
export type Cells<Kind> = Readonly<Record<string, CellSteps<StoredKind<Kind>>>>;

/**
 * The behaviour of a built-in kind: everything that the facts of its release do not say. It is loaded when the kind is
 * first used.
 */
export interface Behaviour<Kind = object> {
  readonly strategy: Strategy<StoredKind<Kind>>;
  /** Strategies of the subresources that write a part of the object, and the views of those that show one. */
  readonly subresources?:
    | Readonly<
        Record<
          string,
          | SubresourceStrategy<StoredKind<Kind>>
          | Pick<ViewSubresource<StoredKind<Kind>>, 'show' | 'showSteps' | 'write'>
        >
      >
    | undefined;
  /** Returns the cells of the Table form, by the name of the column. `Name` and `Age` have cells already. */
  readonly cells?: Cells<Kind> | undefined;
  /** Conversion to the stored version, for a version that is not the stored one. Both return new objects. */
  readonly conversion?: Pick<Conversion<StoredKind<Kind>>, 'toHub' | 'fromHub'> | undefined;
}
