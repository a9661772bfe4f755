/**
 * What discovery says about a kind, in the two forms in which it is said.
 *
 * @module
 */
import { definedOnly } from '../../meta/defined-only.js';
import type { GroupVersionKind } from '../../meta/object.js';
import { groupName, type Dialect, type SystemGroup } from '../../names/dialect.js';
import { storageVersionHash } from '../digest.js';

/** A subresource, as far as clients find out about it. */
export interface DiscoveredSubresource {
  readonly verbs: readonly string[];
  /** What it reads and writes, when that is not the kind that it belongs to. */
  readonly responseKind?: GroupVersionKind;
}

/** A served kind, as far as clients find out about it. The registry's `ResourceInfo` fits. */
export interface DiscoveredResource extends GroupVersionKind {
  readonly resource: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: ReadonlyMap<string, DiscoveredSubresource>;
  readonly definition: {
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
    readonly conversion?: {
      readonly hub: { readonly group: string | SystemGroup; readonly version: string; readonly kind: string };
    };
  };
}

/** An entry of an APIResourceList. */
export interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

const sorted = (words: readonly string[]): string[] => [...words].sort();

/** Group and version are said only where they are not those of the list. */
const foreignKind = (
  kind: GroupVersionKind | undefined,
  owner: GroupVersionKind,
): { group?: string; version?: string } =>
  kind === undefined || (kind.group === owner.group && kind.version === owner.version)
    ? {}
    : { group: kind.group, version: kind.version };

/** The entries of a kind in an APIResourceList: itself, and each subresource. */
export function apiResources(resource: DiscoveredResource, dialect: Dialect): ApiResource[] {
  const { definition } = resource;
  const hash = storedHash(resource, dialect);
  const main: ApiResource = {
    name: resource.resource,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: sorted(resource.verbs),
    ...(definition.shortNames?.length ? { shortNames: definition.shortNames } : {}),
    ...(definition.categories?.length ? { categories: definition.categories } : {}),
    ...definedOnly({ storageVersionHash: hash }),
  };
  const entries = [main];
  for (const [name, { verbs, responseKind }] of resource.subresources) {
    entries.push({
      name: `${resource.resource}/${name}`,
      singularName: '',
      namespaced: resource.namespaced,
      ...foreignKind(responseKind, resource),
      kind: responseKind?.kind ?? resource.kind,
      verbs: sorted(verbs),
    });
  }
  return entries;
}

/** Only kinds that are stored have one; those are the ones that can be listed. */
function storedHash(resource: DiscoveredResource, dialect: Dialect): string | undefined {
  if (!resource.verbs.includes('list')) return undefined;
  const hub = resource.definition.conversion?.hub;
  return hub === undefined
    ? storageVersionHash(resource.group, resource.version, resource.kind)
    : storageVersionHash(groupName(hub.group, dialect), hub.version, hub.kind);
}

/** The entry of a kind in aggregated discovery, with its subresources inside. */
export function aggregatedResource(resource: DiscoveredResource): object {
  const { definition } = resource;
  const scope = resource.namespaced ? 'Namespaced' : 'Cluster';
  const subresources = [...resource.subresources]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([subresource, { verbs, responseKind }]) => ({
      subresource,
      responseKind: kindOf(foreignKind(responseKind, resource), responseKind?.kind ?? resource.kind),
      verbs: sorted(verbs),
    }));
  return {
    resource: resource.resource,
    responseKind: kindOf({}, resource.kind),
    scope,
    singularResource: resource.singular,
    verbs: sorted(resource.verbs),
    ...(definition.shortNames?.length ? { shortNames: definition.shortNames } : {}),
    ...(definition.categories?.length ? { categories: definition.categories } : {}),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

/** Empty group and version stand for those of the version that the resource is listed under. */
function kindOf({ group = '', version = '' }: { group?: string; version?: string }, kind: string): object {
  return { group, version, kind };
}
