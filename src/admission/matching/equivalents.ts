import type { GroupVersionKind } from '../../foundation/index.js';
import type { Catalogue, ResourceInfo, ServedView } from '../../registry/index.js';

/** A resource through which a request can be seen: that of the request, or another one with the same objects. */
export interface EquivalentResource {
  readonly info: ResourceInfo;
  /** The kind of the object that is admitted: that of the subresource where it has its own. */
  readonly kind: GroupVersionKind;
}

/** Returns the kind of the objects of a resource or subresource. */
export function kindOfRoute(info: ResourceInfo, subresource: string): GroupVersionKind {
  const served = subresource === '' ? undefined : info.subresources.get(subresource);
  if (served === undefined) return info;
  if ('responseKind' in served) return served.responseKind;
  return ('connect' in served ? served.optionsKind : undefined) ?? info;
}

/** Returns the subresource when it shows its object as one of another kind, such as `scale`; otherwise undefined. */
export function viewOfRoute(info: ResourceInfo, subresource: string): ServedView | undefined {
  const served = subresource === '' ? undefined : info.subresources.get(subresource);
  return served !== undefined && 'view' in served ? served : undefined;
}

/** Returns whether a subresource takes operations: objects of a kind of their own, which all versions share. */
export function isOperationRoute(info: ResourceInfo, subresource: string): boolean {
  const served = subresource === '' ? undefined : info.subresources.get(subresource);
  return served !== undefined && 'responseKind' in served && !('view' in served);
}

/**
 * Returns the other resources that serve the same objects: the versions of the kind, and its resources in other groups
 * (`events`), where they have the subresource.
 */
export function equivalentResources(
  catalogue: Pick<Catalogue, 'resources'>,
  info: ResourceInfo,
  subresource: string,
): EquivalentResource[] {
  return catalogue.resources
    .filter(
      (other) =>
        other.keyPrefix === info.keyPrefix &&
        !(other.group === info.group && other.version === info.version && other.resource === info.resource) &&
        (subresource === '' || other.subresources.has(subresource)),
    )
    .map((other) => ({ info: other, kind: kindOfRoute(other, subresource) }));
}
