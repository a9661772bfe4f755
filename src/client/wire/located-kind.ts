import { apiVersionOf, groupName, type DialectGroups } from '../../foundation/index.js';
import type { ResourceDefinition } from '../../registry/index.js';
import type { KindPath } from '../request-path.js';

/** A kind, and where it is served. */
export interface LocatedKind extends KindPath {
  readonly kind: string;
  readonly listKind: string;
  /** Subresources that take operations, by the name of the kind: `v1/Eviction` and the like. */
  readonly operations: ReadonlyMap<string, string>;
}

/** Returns where the kind of a definition is served. */
export function locationOf(definition: ResourceDefinition, dialect: DialectGroups): LocatedKind {
  const { group, version, kind, plural, scope, listKind = `${kind}List`, subresources = {} } = definition;
  const operations = new Map<string, string>();
  for (const [name, subresource] of Object.entries(subresources))
    if ('operation' in subresource) operations.set(operationKey(subresource.operation, dialect), name);
  return {
    ...{ group: groupName(group, dialect), version, kind, listKind },
    ...{ resource: plural, namespaced: scope === 'Namespaced', operations },
  };
}

/** Returns the key of a kind of operations. */
export const operationKey = ({ group, version, kind }: ResourceDefinition, dialect: DialectGroups): string =>
  `${apiVersionOf(groupName(group, dialect), version)}/${kind}`;
