/**
 * The labels of a node that its agent may not change: others decide by them what is placed on the node.
 *
 * @module
 */
import type { Dialect } from '../../names/dialect.js';

type Labels = Readonly<Record<string, string>> | undefined;

/** The keys that are in one of two maps only, or have another value in each; sorted. */
export function changedKeys(a: Labels, b: Labels): readonly string[] {
  const [left, right] = [new Map(Object.entries(a ?? {})), new Map(Object.entries(b ?? {}))];
  const keys = new Set([...left.keys(), ...right.keys()]);
  return [...keys].filter((key) => left.get(key) !== right.get(key)).sort();
}

/** Whether a domain is this one or below it. */
const isWithin = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);

/** What stands before the slash of a key; empty when it has none. */
const domainOf = (key: string): string => key.slice(0, Math.max(0, key.indexOf('/')));

/**
 * Whether a node agent may not set, change or remove a label of its node: all that are reserved for administrators, and those of the
 * platform's domains that are not among the ones which agents are known to set.
 */
export function forbiddenNodeLabels({ labelDomain, groupSuffix, nodeAgentName }: Dialect): (key: string) => boolean {
  const platform = [labelDomain, groupSuffix];
  const reserved = `node-restriction.${labelDomain}`;
  const agentsDomains = [`${nodeAgentName}.${labelDomain}`, `node.${labelDomain}`];
  const agents: ReadonlySet<string> = new Set([
    ...['hostname', 'os', 'arch'].map((name) => `${labelDomain}/${name}`),
    ...['zone', 'region'].flatMap((name) => [
      `topology.${labelDomain}/${name}`,
      `failure-domain.beta.${labelDomain}/${name}`,
    ]),
    ...['instance-type', 'os', 'arch'].map((name) => `beta.${labelDomain}/${name}`),
    `node.${labelDomain}/instance-type`,
  ]);
  return (key) => {
    const domain = domainOf(key);
    if (isWithin(domain, reserved)) return true;
    if (!platform.some((parent) => isWithin(domain, parent))) return false;
    return !agents.has(key) && !agentsDomains.some((parent) => isWithin(domain, parent));
  };
}
