/**
 * Labels of a node that its agent must not change: they control what is scheduled on the node.
 *
 * @module
 */
import type { Dialect } from '../../foundation/index.js';

type Labels = Readonly<Record<string, string>> | undefined;

/** Returns the sorted keys that differ between two maps. */
export function changedKeys(a: Labels, b: Labels): readonly string[] {
  const [left, right] = [new Map(Object.entries(a ?? {})), new Map(Object.entries(b ?? {}))];
  const keys = new Set([...left.keys(), ...right.keys()]);
  return [...keys].filter((key) => left.get(key) !== right.get(key)).sort();
}

/** True for the domain itself and its subdomains. */
const isWithin = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);

/** Returns the part of a key before the slash; empty when there is none. */
const domainOf = (key: string): string => key.slice(0, Math.max(0, key.indexOf('/')));

/**
 * Returns a function that decides whether a node agent must not set, change or remove a label of its node. It must not
 * for labels reserved for administrators, and for labels in the platform's domains other than the known labels of
 * agents.
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
