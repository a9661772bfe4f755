import { nextInt64, type JsonValue, type Steps } from '../../../foundation/index.js';
import type { NamedObject, RequestContext } from '../../../registry/index.js';
import { semanticallyEqualSteps } from './go/semantic-equal.js';

/** Returns the spec of a decoded object. The decoder adds an absent one. @throws Error for another object */
export function specOf<Spec>({ spec }: { readonly spec?: Spec | undefined }): Spec {
  if (spec === undefined) throw new Error('an object without a spec was not decoded');
  return spec;
}

/** Increments the generation of an object whose spec has changed. Runs when the object is prepared for an update. */
export function* countSpecChange(
  object: NamedObject & { readonly spec?: JsonValue | undefined },
  old: NamedObject & { readonly spec?: JsonValue | undefined },
  { work }: Pick<RequestContext, 'work'>,
): Steps<void> {
  if (!(yield* semanticallyEqualSteps(object.spec, old.spec, work))) incrementGeneration(object, old);
}

/** Sets the generation that follows that of the old object. */
export function incrementGeneration(object: NamedObject, old: NamedObject): void {
  object.metadata.generation = nextInt64(old.metadata.generation ?? 0);
}
