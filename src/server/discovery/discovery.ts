/**
 * Discovery: `/api`, `/apis` and the paths below them (contract, section "Endpoints").
 *
 * @module
 */
import {
  apiVersionOf,
  appendTo,
  compareVersions,
  inSlices,
  SharedWork,
  type Dialect,
  type Steps,
} from '../../foundation/index.js';
import { aggregatedContentType, aggregatedList, type AggregatedVersion } from './aggregated.js';
import { documentSteps, type CachedDocument } from './documents.js';
import { CUSTOM_PRIORITY, versionPriorities, type VersionPriority } from './priorities.js';
import type { RemoteVersion } from './remote-version.js';
import { aggregatedResource, apiResources, isCustom, type ApiResource, type DiscoveredResource } from './resources.js';

/** `/api`. */
export interface ApiVersions {
  readonly kind: 'APIVersions';
  readonly versions: readonly string[];
  readonly serverAddressByClientCIDRs: readonly { readonly clientCIDR: string; readonly serverAddress: string }[];
}

/** A version of a group. */
export interface GroupVersionForDiscovery {
  readonly groupVersion: string;
  readonly version: string;
}

/** A group in `/apis`. */
export interface ApiGroupEntry {
  readonly name: string;
  readonly versions: readonly GroupVersionForDiscovery[];
  readonly preferredVersion: GroupVersionForDiscovery;
}

/** `/apis/{group}`. */
export interface ApiGroup extends ApiGroupEntry {
  readonly kind: 'APIGroup';
  readonly apiVersion: 'v1';
}

/** `/apis`. */
export interface ApiGroupList {
  readonly kind: 'APIGroupList';
  readonly apiVersion: 'v1';
  readonly groups: readonly ApiGroupEntry[];
}

/** `/api/v1` and `/apis/{group}/{version}`. The list of the core group has no apiVersion, as in Kubernetes. */
export interface ApiResourceList {
  readonly kind: 'APIResourceList';
  readonly apiVersion?: 'v1' | undefined;
  readonly groupVersion: string;
  readonly resources: readonly ApiResource[];
}

/** Options of discovery. */
export interface DiscoveryOptions {
  readonly resources: readonly DiscoveredResource[];
  /** The versions that other servers serve. They replace those of this server. Default none. */
  readonly remote?: readonly RemoteVersion[] | undefined;
  readonly dialect: Dialect;
  /** Returns the address that clients reach this server at, `host:port`. */
  readonly serverAddress: () => string;
}

/** The discovery documents of a fixed set of resources. Each document is created on first use and cached. */
export interface Discovery {
  /** The versions that other servers serve, as they were given. */
  readonly remote: readonly RemoteVersion[] | undefined;
  apiVersions(): ApiVersions;
  apiGroupList(): ApiGroupList;
  /** Returns undefined for an unknown group and for the core group, which has no such path. */
  apiGroup(group: string): ApiGroup | undefined;
  /** Returns undefined for an unknown version. */
  apiResourceList(group: string, version: string): ApiResourceList | undefined;
  /** Returns the aggregated form of `/api` (the core group) or `/apis` (all other groups). */
  aggregated(root: 'api' | 'apis', version: AggregatedVersion): CachedDocument | Promise<CachedDocument>;
  /** Returns whether a version of a group is served. */
  serves(group: string, version: string): boolean;
  /** Returns whether any version of a group is served. */
  servesGroup(group: string): boolean;
  /**
   * Returns whether a group has kinds besides custom ones. Its unknown paths then have a Status; those of other groups
   * are plain 404, since no route exists for them.
   */
  isRouted(group: string): boolean;
  /** Returns the document of `/`: the paths of discovery and `others`, sorted. */
  rootPaths(others: readonly string[]): { readonly paths: readonly string[] };
}

/** Creates the discovery of a set of resources. */
export function createDiscovery(options: DiscoveryOptions): Discovery {
  return new ResourceDiscovery(options);
}

class ResourceDiscovery implements Discovery {
  readonly #options: DiscoveryOptions;
  /** Versions by group, the preferred version first, each with its resources; groups in order of priority. */
  readonly #groups: ReadonlyMap<string, ReadonlyMap<string, ServedVersion>>;
  readonly #resourceLists = new Map<string, ApiResourceList>();
  readonly #aggregated = new Map<string, CachedDocument | Promise<CachedDocument>>();
  #groupList: ApiGroupList | undefined;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    this.#groups = arrange(options);
  }

  get remote(): readonly RemoteVersion[] | undefined {
    return this.#options.remote;
  }

  apiVersions(): ApiVersions {
    return {
      kind: 'APIVersions',
      versions: [...(this.#groups.get('')?.keys() ?? [])],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: this.#options.serverAddress() }],
    };
  }

  apiGroupList(): ApiGroupList {
    return (this.#groupList ??= {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: [...this.#groups.keys()].filter((group) => group !== '').map((group) => this.#entry(group)),
    });
  }

  apiGroup(group: string): ApiGroup | undefined {
    return group === '' || !this.servesGroup(group)
      ? undefined
      : { kind: 'APIGroup', apiVersion: 'v1', ...this.#entry(group) };
  }

  apiResourceList(group: string, version: string): ApiResourceList | undefined {
    const groupVersion = apiVersionOf(group, version);
    const known = this.#resourceLists.get(groupVersion);
    if (known !== undefined) return known;
    const served = this.#groups.get(group)?.get(version);
    // The list of a version of another server is asked there.
    if (served === undefined || isRemote(served)) return undefined;
    const resources = [...served]
      .sort((a, b) => (a.resource < b.resource ? -1 : 1))
      .flatMap((resource) => apiResources(resource, this.#options.dialect, this.#servesVersionsOf(resource)));
    const list: ApiResourceList = {
      kind: 'APIResourceList',
      ...(group === '' ? {} : { apiVersion: 'v1' }),
      groupVersion,
      resources,
    };
    this.#resourceLists.set(groupVersion, list);
    return list;
  }

  aggregated(root: 'api' | 'apis', version: AggregatedVersion): CachedDocument | Promise<CachedDocument> {
    const key = `${root} ${version}`;
    const known = this.#aggregated.get(key);
    if (known !== undefined) return known;
    const document = inSlices(new SharedWork(), this.#aggregatedSteps(root, version));
    this.#aggregated.set(key, document);
    if (document instanceof Promise) void document.then((written) => this.#aggregated.set(key, written));
    return document;
  }

  /** Writes the document group by group: there may be thousands. */
  *#aggregatedSteps(root: 'api' | 'apis', version: AggregatedVersion): Steps<CachedDocument> {
    const { dialect } = this.#options;
    const [before = '', after = ''] = JSON.stringify(aggregatedList(dialect, version, [])).split('[]');
    const parts = [`${before}[`];
    for (const entry of this.#groups) {
      if ((entry[0] === '') !== (root === 'api')) continue;
      const text = JSON.stringify(aggregatedGroupEntry(entry));
      parts.push(parts.length === 1 ? text : `,${text}`);
      if (parts.length % GROUPS_AT_ONCE === 0) yield;
    }
    parts.push(`]${after}\n`);
    return yield* documentSteps(joined(parts), aggregatedContentType(dialect, version));
  }

  /** Returns a function that returns whether a version of a kind is served. */
  #servesVersionsOf({ group, resource }: DiscoveredResource): (apiVersion: string) => boolean {
    const versions = this.#groups.get(group);
    return (apiVersion) => {
      const served = versions?.get(apiVersion.slice(group.length + 1));
      return served !== undefined && !isRemote(served) && served.some((other) => other.resource === resource);
    };
  }

  serves(group: string, version: string): boolean {
    return this.#groups.get(group)?.has(version) ?? false;
  }

  servesGroup(group: string): boolean {
    return this.#groups.has(group);
  }

  isRouted(group: string): boolean {
    return [...(this.#groups.get(group)?.values() ?? [])].some(
      (served) => !isRemote(served) && served.some((resource) => !isCustom(resource)),
    );
  }

  rootPaths(others: readonly string[]): { readonly paths: readonly string[] } {
    const paths = new Set([...others, '/api', '/apis']);
    for (const [group, versions] of this.#groups) {
      const base = group === '' ? '/api' : `/apis/${group}`;
      paths.add(base);
      for (const version of versions.keys()) paths.add(`${base}/${version}`);
    }
    return { paths: [...paths].sort() };
  }

  #entry(group: string): ApiGroupEntry {
    const versions = [...(this.#groups.get(group)?.keys() ?? [])].map((version) => ({
      groupVersion: apiVersionOf(group, version),
      version,
    }));
    const [preferredVersion = { groupVersion: '', version: '' }] = versions;
    return { name: group, versions, preferredVersion };
  }
}

/** Groups whose entries are written in one step. */
const GROUPS_AT_ONCE = 8;
/** Parts of a text that are joined: each is hashed in a step of its own. */
const PARTS_AT_ONCE = 64;

function joined(parts: readonly string[]): string[] {
  const longer: string[] = [];
  for (let from = 0; from < parts.length; from += PARTS_AT_ONCE)
    longer.push(parts.slice(from, from + PARTS_AT_ONCE).join(''));
  return longer;
}

/** Kinds of this server, or another server. */
type ServedVersion = readonly DiscoveredResource[] | RemoteVersion;

const isRemote = (served: ServedVersion): served is RemoteVersion => 'isCurrent' in served;

function arrange({
  resources,
  remote = [],
  dialect,
}: Pick<DiscoveryOptions, 'resources' | 'remote' | 'dialect'>): Map<string, Map<string, ServedVersion>> {
  const own = new Map<string, Map<string, DiscoveredResource[]>>();
  for (const resource of resources) {
    const versions = own.get(resource.group);
    if (versions === undefined) own.set(resource.group, new Map([[resource.version, [resource]]]));
    else appendTo(versions, resource.version, resource);
  }
  const groups: Map<string, Map<string, ServedVersion>> = own;
  const priorityOf = ownPriorities(dialect);
  const priorities = new Map<string, number>();
  const raise = (group: string, to: number): void =>
    void priorities.set(group, Math.max(priorities.get(group) ?? 0, to));
  for (const [group, versions] of own)
    for (const [version, served] of versions) raise(group, priorityOf(group, version, served).group);
  for (const served of remote) {
    const { group, version, groupPriority } = served;
    const versions = groups.get(group) ?? new Map<string, ServedVersion>();
    groups.set(group, versions.set(version, served));
    raise(group, groupPriority);
  }
  const order = (a: string, b: string): number =>
    (priorities.get(b) ?? 0) - (priorities.get(a) ?? 0) || (a < b ? -1 : a > b ? 1 : 0);
  return new Map(
    [...groups]
      .sort(([a], [b]) => order(a, b))
      .map(([group, versions]) => {
        const priority = (version: string, served: ServedVersion): number =>
          isRemote(served) ? served.versionPriority : priorityOf(group, version, served).version;
        return [group, byPriority(versions, priority)] as const;
      }),
  );
}

/** Returns the function that returns the priorities of a version with kinds of this server. */
function ownPriorities(
  dialect: Dialect,
): (group: string, version: string, served: readonly DiscoveredResource[]) => VersionPriority {
  const priorityOf = versionPriorities(dialect);
  return (group, version, served) => (served.every(isCustom) ? CUSTOM_PRIORITY : priorityOf(group, version));
}

/** Returns the versions of a group in order, the preferred one first. */
function byPriority(
  versions: Map<string, ServedVersion>,
  priority: (version: string, served: ServedVersion) => number,
): Map<string, ServedVersion> {
  if (versions.size === 1) return versions;
  return new Map(
    [...versions].sort(([a, one], [b, other]) => priority(b, other) - priority(a, one) || compareVersions(a, b)),
  );
}

function aggregatedGroupEntry([group, versions]: readonly [string, ReadonlyMap<string, ServedVersion>]): object {
  return {
    metadata: { ...(group === '' ? {} : { name: group }), creationTimestamp: null },
    versions: Array.from(versions, ([version, served]) =>
      isRemote(served)
        ? { version, resources: served.resources, freshness: served.isCurrent ? 'Current' : 'Stale' }
        : {
            version,
            resources: [...served].sort((a, b) => (a.resource < b.resource ? -1 : 1)).map(aggregatedResource),
            freshness: 'Current',
          },
    ),
  };
}
