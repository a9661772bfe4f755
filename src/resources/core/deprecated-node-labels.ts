import type { coreV1 } from '../../kinds/index.js';
import type { Dialect } from '../../names/dialect.js';

/** Returns the warning about a deprecated label of nodes; undefined for any other key. */
export function deprecatedNodeLabel(key: string, { labelDomain }: Dialect): string | undefined {
  switch (key) {
    case `beta.${labelDomain}/arch`:
      return `deprecated since v1.14; use "${labelDomain}/arch" instead`;
    case `beta.${labelDomain}/os`:
      return `deprecated since v1.14; use "${labelDomain}/os" instead`;
    case `failure-domain.beta.${labelDomain}/region`:
      return `deprecated since v1.17; use "topology.${labelDomain}/region" instead`;
    case `failure-domain.beta.${labelDomain}/zone`:
      return `deprecated since v1.17; use "topology.${labelDomain}/zone" instead`;
    case `beta.${labelDomain}/instance-type`:
      return `deprecated since v1.17; use "node.${labelDomain}/instance-type" instead`;
    default:
      return undefined;
  }
}

/** Returns the warnings about deprecated labels in a term of a node selector. */
export function warnOfNodeSelectorTerm(
  { matchExpressions = [] }: coreV1.NodeSelectorTerm,
  path: string,
  dialect: Dialect,
): string[] {
  return matchExpressions.flatMap(({ key }, index) => {
    const text = deprecatedNodeLabel(key, dialect);
    return text === undefined ? [] : [`${path}.matchExpressions[${index}].key: ${key} is ${text}`];
  });
}
