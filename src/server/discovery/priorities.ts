/**
 * The order of API groups and their versions: the priorities that the APIServices of release 1.31 have.
 *
 * @module
 */
import { groupName, ownMember, type Dialect } from '../../foundation/index.js';
import { groupOrder } from '../../kinds/index.js';

/** The priorities of a version of a group, as in an APIService. Greater ones come first. */
export interface VersionPriority {
  readonly group: number;
  /** Among the versions of the group; equal ones are in the order of their names. */
  readonly version: number;
}

/** Priorities of a group of the release, and of those of its versions that do not have {@link RELEASE_VERSION}. */
interface GroupPriorities {
  readonly group: number;
  readonly versions?: { readonly [version: string]: number } | undefined;
}

const RELEASE_VERSION = 15;

/** By the name of the group without domain. Source: `pkg/controlplane/apiserver/aggregator.go` of release 1.31. */
const PRIORITIES: ReadonlyMap<string, GroupPriorities> = new Map<string, GroupPriorities>([
  ['', { group: 18_000, versions: { v1: 1 } }],
  ['apiregistration', { group: 20_000 }],
  ['apps', { group: 17_800 }],
  ['events', { group: 17_750, versions: { v1beta1: 5 } }],
  ['authentication', { group: 17_700, versions: { v1beta1: 9, v1alpha1: 1 } }],
  ['authorization', { group: 17_600 }],
  ['autoscaling', { group: 17_500, versions: { v2: 30 } }],
  ['batch', { group: 17_400, versions: { v1beta1: 9 } }],
  ['certificates', { group: 17_300, versions: { v1beta1: 9, v1alpha1: 1 } }],
  ['networking', { group: 17_200, versions: { v1beta1: 12, v1alpha1: 1 } }],
  ['policy', { group: 17_100, versions: { v1beta1: 9 } }],
  ['rbac.authorization', { group: 17_000 }],
  ['storage', { group: 16_800, versions: { v1beta1: 9, v1alpha1: 1 } }],
  ['apiextensions', { group: 16_700 }],
  ['admissionregistration', { group: 16_700, versions: { v1beta1: 12, v1alpha1: 9 } }],
  ['scheduling', { group: 16_600 }],
  ['coordination', { group: 16_500, versions: { v1beta1: 13, v1alpha2: 12, v1alpha1: 12 } }],
  ['node', { group: 16_300, versions: { v1beta1: 9, v1alpha1: 1 } }],
  ['discovery', { group: 16_200, versions: { v1beta1: 12 } }],
  ['flowcontrol.apiserver', { group: 16_100, versions: { v1: 21, v1beta3: 18 } }],
  ['internal.apiserver', { group: 16_000, versions: { v1alpha1: 9 } }],
  ['resource', { group: 16_200, versions: { v1alpha3: 9 } }],
  ['storagemigration', { group: 15_800, versions: { v1alpha1: 9 } }],
]);

/** Priorities of the versions of custom resource definitions, and of all others that the release does not have. */
export const CUSTOM_PRIORITY: VersionPriority = Object.freeze({ group: 1000, version: 100 });

/** Returns the function that returns the priorities of a version of this server. */
export function versionPriorities(dialect: Dialect): (group: string, version: string) => VersionPriority {
  const known = new Map(
    groupOrder.map((group) => [
      groupName(group, dialect),
      PRIORITIES.get(typeof group === 'string' ? group : group.system),
    ]),
  );
  return (group, version) => {
    const found = known.get(group);
    return found === undefined
      ? CUSTOM_PRIORITY
      : { group: found.group, version: ownMember(found.versions ?? {}, version) ?? RELEASE_VERSION };
  };
}
