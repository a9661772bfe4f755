import type { Dialect } from '../../../../foundation/index.js';

/** Returns the label that replaced a beta label of nodes; undefined for any other label. */
export function currentNodeLabel(key: string, { labelDomain }: Dialect): string | undefined {
  switch (key) {
    case `beta.${labelDomain}/arch`:
      return `${labelDomain}/arch`;
    case `beta.${labelDomain}/os`:
      return `${labelDomain}/os`;
    case `failure-domain.beta.${labelDomain}/region`:
      return `topology.${labelDomain}/region`;
    case `failure-domain.beta.${labelDomain}/zone`:
      return `topology.${labelDomain}/zone`;
    case `beta.${labelDomain}/instance-type`:
      return `node.${labelDomain}/instance-type`;
    default:
      return undefined;
  }
}
