/**
 * The order of API groups: the priorities that the APIServices of release 1.31 have.
 *
 * @module
 */
import { groupName, type Dialect } from '../../foundation/index.js';
import { groupOrder } from '../../kinds/index.js';

/** Priorities of the groups of the release, by the name without domain. */
const PRIORITIES: ReadonlyMap<string, number> = new Map([
  ['', 18_000],
  ['apiregistration', 20_000],
  ['apps', 17_800],
  ['events', 17_750],
  ['authentication', 17_700],
  ['authorization', 17_600],
  ['autoscaling', 17_500],
  ['batch', 17_400],
  ['certificates', 17_300],
  ['networking', 17_200],
  ['policy', 17_100],
  ['rbac.authorization', 17_000],
  ['storage', 16_800],
  ['admissionregistration', 16_700],
  ['apiextensions', 16_700],
  ['scheduling', 16_600],
  ['coordination', 16_500],
  ['node', 16_300],
  ['discovery', 16_200],
  ['resource', 16_200],
  ['flowcontrol.apiserver', 16_100],
  ['internal.apiserver', 16_000],
  ['storagemigration', 16_000],
]);

/** Priority of all other groups of this server, which is that of custom resource definitions. */
const OTHER_GROUPS = 1000;

/** Priority of the versions of custom kinds, and of those of the release. */
export const CUSTOM_VERSIONS = 100;
export const RELEASE_VERSIONS = 15;

/** Returns the function that returns the priority of a group of this server. Greater ones come first. */
export function groupPriorities(dialect: Dialect): (group: string) => number {
  const known = new Map(
    groupOrder.map((group) => [
      groupName(group, dialect),
      PRIORITIES.get(typeof group === 'string' ? group : group.system),
    ]),
  );
  return (group) => known.get(group) ?? OTHER_GROUPS;
}
