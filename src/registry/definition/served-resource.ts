import type { Catalogue } from './catalogue.js';

/** The names of a served kind. */
export interface ServedResource {
  /** The core group is the empty string. */
  readonly group: string;
  readonly version: string;
  /** `v1`, or `group/version`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Plural name, as in paths. */
  readonly resource: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
  /** Prefix of the storage keys of its objects; ends in a slash. */
  readonly keyPrefix: string;
}

/** Returns the served kinds, in the order of their declaration. */
export function servedResources({ resources }: Catalogue): readonly ServedResource[] {
  return resources.map((info) => ({
    ...{ group: info.group, version: info.version, apiVersion: info.apiVersion, kind: info.kind },
    ...{ resource: info.resource, singular: info.singular, shortNames: info.definition.shortNames ?? [] },
    ...{ namespaced: info.namespaced, verbs: info.verbs, subresources: [...info.subresources.keys()] },
    keyPrefix: info.keyPrefix,
  }));
}
