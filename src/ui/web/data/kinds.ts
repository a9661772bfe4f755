import type { Api } from './api.js';

/** A kind that the server serves, with the names that requests need. */
export interface PageKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

interface Discovered {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind: string };
        readonly scope: string;
        readonly shortNames?: readonly string[];
        readonly verbs: readonly string[];
        readonly subresources?: readonly { readonly subresource: string }[];
      }[];
    }[];
  }[];
}

/** Reads the kinds that can be listed, each in the preferred version of its group, sorted by group and name. */
export async function readKinds(api: Api): Promise<readonly PageKind[]> {
  const accept = `application/json;g=apidiscovery.${api.suffix};v=v2;as=APIGroupDiscoveryList`;
  const answers = await Promise.all(['api', 'apis'].map((path) => api.read<Discovered>(path, accept)));
  return answers.flatMap(kindsIn).sort((a, b) => a.group.localeCompare(b.group) || a.kind.localeCompare(b.kind));
}

/** Returns the kinds of a discovery document that can be listed. The preferred version of a group is its first. */
export function kindsIn({ items }: Discovered): PageKind[] {
  const kinds = new Map<string, PageKind>();
  for (const { metadata, versions } of items)
    for (const { version, resources = [] } of versions)
      for (const { resource, responseKind, scope, shortNames = [], verbs, subresources = [] } of resources) {
        const group = metadata.name ?? '';
        const key = `${group}/${resource}`;
        if (!verbs.includes('list') || kinds.has(key)) continue;
        const kind = responseKind?.kind ?? resource;
        kinds.set(key, {
          group,
          version,
          kind,
          plural: resource,
          namespaced: scope === 'Namespaced',
          shortNames,
          verbs,
          subresources: subresources.map(({ subresource }) => subresource),
        });
      }
  return [...kinds.values()];
}

/** The value of `apiVersion` of a kind. */
export const apiVersionOf = ({ group, version }: PageKind): string => (group === '' ? version : `${group}/${version}`);

/**
 * Whether a kind is one of the platform: of the core group, of a group without a domain, or of the server's domain.
 *
 * @param suffix see `Api.suffix`
 */
export const isBuiltIn = ({ group }: PageKind, suffix: string): boolean =>
  !group.includes('.') || group.endsWith(`.${suffix}`);

/** The path of a collection below the root of the server. */
export function pathOf(kind: PageKind, namespace?: string): string {
  const root = kind.group === '' ? `api/${kind.version}` : `apis/${kind.group}/${kind.version}`;
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${scope}/${kind.plural}`;
}

/** Returns the kinds that a text means, the best first: by kind, plural, short name, then by their beginnings and parts. */
export function kindsLike(kinds: readonly PageKind[], text: string): readonly PageKind[] {
  const sought = text.trim().toLowerCase();
  if (sought === '') return kinds;
  const rank = ({ kind, plural, shortNames, group }: PageKind): number => {
    const names = [plural, kind.toLowerCase(), ...shortNames];
    if (names.includes(sought)) return 0;
    if (names.some((name) => name.startsWith(sought))) return 1;
    return [...names, `${plural}.${group}`].some((name) => name.includes(sought)) ? 2 : 3;
  };
  return kinds
    .map((kind) => ({ kind, at: rank(kind) }))
    .filter(({ at }) => at < 3)
    .sort((a, b) => a.at - b.at)
    .map(({ kind }) => kind);
}
