import type { PartialObject } from '../../client/index.js';
import type { InformedObject } from '../runtime/informer-cache.js';
import type { KindLike, SourceInput } from '../runtime/sources.js';

/** An object that a controller wants to exist; made by {@link intent}. */
export interface Intent {
  readonly kind: KindLike;
  /** The fields that the controller sets. */
  readonly object: InformedObject;
}

/** Returns an object of a kind for `applyExactly`: the fields that the controller sets. */
export const intent = <Kind extends KindLike>(kind: Kind, object: PartialObject<SourceInput<Kind>>): Intent => ({
  kind,
  // Each kind has metadata, which the type of any kind does not say.
  object: object,
});
