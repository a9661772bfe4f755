import type { Dialect, Steps, WarningList } from '../../../foundation/index.js';
import type { coreV1 } from '../../types/index.js';

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

/** Warns of deprecated labels in a list of requirements. */
export function* warnOfRequirements(
  warnings: WarningList,
  requirements: readonly { readonly key: string }[] | undefined,
  path: string,
  dialect: Dialect,
): Steps<void> {
  for (const [index, { key }] of (requirements ?? []).entries()) {
    if (warnings.isFull) return;
    if (warnings.spend()) yield;
    const text = deprecatedNodeLabel(key, dialect);
    if (text !== undefined) warnings.push(`${path}[${index}].key: ${key} is ${text}`);
  }
}

/** Warns of deprecated labels in a term of a node selector. */
export function* warnOfNodeSelectorTerm(
  warnings: WarningList,
  { matchExpressions }: coreV1.NodeSelectorTerm,
  path: string,
  dialect: Dialect,
): Steps<void> {
  if (warnings.spend()) yield;
  yield* warnOfRequirements(warnings, matchExpressions, `${path}.matchExpressions`, dialect);
}
