import type { Steps } from '../../../../foundation/index.js';
import type { NamedObject, RequestContext } from '../../../../registry/index.js';
import { podNameWarnings } from '../../shared/pod-name-warnings.js';
import { podTemplateWarnings } from './template.js';
import type { PodTemplateSpec } from './types.js';

/** An object whose spec has the template of its pods. */
interface ReplicatingObject extends NamedObject {
  readonly spec?: { readonly template?: PodTemplateSpec | undefined } | undefined;
}

/**
 * Returns the warnings about an object that keeps a number of equal pods, whose names begin with its name. It warns about the
 * name when the object is created, and about the template then and whenever the generation changes.
 */
export function* replicaWarnings(
  object: ReplicatingObject,
  old: ReplicatingObject | undefined,
  context: RequestContext,
): Steps<string[]> {
  if (old !== undefined && object.metadata.generation === old.metadata.generation) return [];
  const template = yield* podTemplateWarnings(
    'spec.template',
    object.spec?.template ?? {},
    old?.spec?.template,
    context,
  );
  return old === undefined ? [...podNameWarnings(object.metadata.name), ...template] : template;
}
