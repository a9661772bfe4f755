/**
 * The discovery entries of a kind, in plain and aggregated form.
 *
 * @module
 */
import { sha256 } from '@noble/hashes/sha2.js';
import {
  definedOnly,
  encodeBase64,
  encodeUtf8,
  groupName,
  type Dialect,
  type GroupVersionKind,
  type SystemGroup,
} from '../../foundation/index.js';

/** A subresource in discovery. */
export interface DiscoveredSubresource {
  readonly verbs: readonly string[];
  /** The kind that it reads and writes, when it differs from the kind that it belongs to. */
  readonly responseKind?: GroupVersionKind | undefined;
  /** The kind of the options of a subresource that connects, when discovery shows it. */
  readonly optionsKind?: GroupVersionKind | undefined;
}

/** A kind in discovery. The registry's `ResourceInfo` is assignable to it. */
export interface DiscoveredResource extends GroupVersionKind {
  readonly resource: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: ReadonlyMap<string, DiscoveredSubresource>;
  readonly definition: {
    readonly shortNames?: readonly string[] | undefined;
    readonly categories?: readonly string[] | undefined;
    /** The stored versions of a custom kind. */
    readonly storedVersions?: { readonly storageVersion: string } | undefined;
    /** Set while the definition of a custom kind is being deleted. */
    readonly terminating?: boolean | undefined;
    readonly conversion?:
      | {
          readonly hub: { readonly group: string | SystemGroup; readonly version: string; readonly kind: string };
        }
      | undefined;
  };
}

/** An entry of an APIResourceList. */
export interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string | undefined;
  readonly version?: string | undefined;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly storageVersionHash?: string | undefined;
}

const sorted = (words: readonly string[]): string[] => [...words].sort();

/** Returns whether a custom resource definition declares the kind. Kubernetes serves such kinds by other code. */
export function isCustom({ definition }: Pick<DiscoveredResource, 'definition'>): boolean {
  return definition.storedVersions !== undefined;
}

/** The verbs of custom kinds, in the order in which Kubernetes lists them. */
const CUSTOM_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** The verbs of custom kinds whose definition is being deleted. */
const TERMINATING_VERBS = ['delete', 'deletecollection', 'get', 'list', 'watch'];

function verbsOf(resource: DiscoveredResource): readonly string[] {
  if (!isCustom(resource)) return sorted(resource.verbs);
  return resource.definition.terminating === true ? TERMINATING_VERBS : CUSTOM_VERBS;
}

/** Returns the subresources in order: by name, those of custom kinds as declared, `status` before `scale`. */
function subresourcesOf(resource: DiscoveredResource): readonly (readonly [string, DiscoveredSubresource])[] {
  const subresources = [...resource.subresources];
  return isCustom(resource) ? subresources : subresources.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns group and version only when they differ from those of the list. */
const foreignKind = (
  kind: GroupVersionKind | undefined,
  owner: GroupVersionKind,
): { group?: string | undefined; version?: string | undefined } =>
  kind === undefined || (kind.group === owner.group && kind.version === owner.version)
    ? {}
    : { group: kind.group, version: kind.version };

/**
 * Returns the entries of a kind in an APIResourceList: the kind and each subresource.
 *
 * @param serves returns whether a version of the kind is served, by its apiVersion
 */
export function apiResources(
  resource: DiscoveredResource,
  dialect: Dialect,
  serves: (apiVersion: string) => boolean,
): ApiResource[] {
  const { definition } = resource;
  const hash = storedHash(resource, dialect, serves);
  const main: ApiResource = {
    name: resource.resource,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: verbsOf(resource),
    ...(definition.shortNames?.length ? { shortNames: definition.shortNames } : {}),
    ...(definition.categories?.length ? { categories: definition.categories } : {}),
    ...definedOnly({ storageVersionHash: hash }),
  };
  const entries = [main];
  for (const [name, { verbs, optionsKind, responseKind = optionsKind }] of subresourcesOf(resource)) {
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

/**
 * Returns the storage version hash. Only stored kinds have one: those that can be listed and have other verbs than the
 * reading ones. A custom kind has none while its storage version is not served.
 */
function storedHash(
  resource: DiscoveredResource,
  dialect: Dialect,
  serves: (apiVersion: string) => boolean,
): string | undefined {
  if (!resource.verbs.includes('list') || resource.verbs.every((verb) => verb === 'get' || verb === 'list'))
    return undefined;
  const stored = resource.definition.storedVersions?.storageVersion;
  if (stored !== undefined)
    return serves(stored)
      ? storageVersionHash(resource.group, stored.slice(stored.indexOf('/') + 1), resource.kind)
      : undefined;
  const hub = resource.definition.conversion?.hub;
  return hub === undefined
    ? storageVersionHash(resource.group, resource.version, resource.kind)
    : storageVersionHash(groupName(hub.group, dialect), hub.version, hub.kind);
}

/** Returns `storageVersionHash` of discovery: eight bytes that identify the stored form of a kind. */
export function storageVersionHash(group: string, version: string, kind: string): string {
  return encodeBase64(sha256(encodeUtf8(`${group}/${version}/${kind}`)).subarray(0, 8));
}

/** Returns the entry of a kind in aggregated discovery, which contains its subresources. */
export function aggregatedResource(resource: DiscoveredResource): object {
  const { definition } = resource;
  const scope = resource.namespaced ? 'Namespaced' : 'Cluster';
  // Custom kinds always name their group and version.
  const own = isCustom(resource) ? { group: resource.group, version: resource.version } : {};
  const subresources = subresourcesOf(resource).map(
    ([subresource, { verbs, optionsKind, responseKind = optionsKind }]) => ({
      subresource,
      responseKind: kindOf({ ...own, ...foreignKind(responseKind, resource) }, responseKind?.kind ?? resource.kind),
      verbs: sorted(verbs),
    }),
  );
  return {
    resource: resource.resource,
    responseKind: kindOf(own, resource.kind),
    scope,
    singularResource: resource.singular,
    verbs: verbsOf(resource),
    ...(definition.shortNames?.length ? { shortNames: definition.shortNames } : {}),
    ...(definition.categories?.length ? { categories: definition.categories } : {}),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

/** Returns a response kind. Empty group and version mean those of the enclosing entry. */
function kindOf(
  { group = '', version = '' }: { group?: string | undefined; version?: string | undefined },
  kind: string,
): object {
  return { group, version, kind };
}
