/** Steps of one family that differ for one reason. */
export interface ExpectedFailure {
  readonly family: string;
  /** The missing feature. */
  readonly reason: string;
  /** Names of the steps, as in the recordings. */
  readonly steps: readonly string[];
}

/** Families to replay. */
export const families: readonly string[] = [
  'access-review',
  'apply-basics',
  'apply-lists',
  'cluster-trust-bundle',
  'content',
  'crud',
  'csr',
  'deletion',
  'discovery',
  'dry-run',
  'errors',
  'field-validation',
  'generate-name',
  'impersonation',
  'listing',
  'managed-fields',
  'namespaces',
  'patch-json',
  'patch-merge',
  'patch-strategic',
  'rbac-enforcement',
  'rbac-objects',
  'self-review',
  'service-account-tokens',
  'watch',
];

const NO_CUSTOM_RESOURCES = 'custom resources are not served yet';

/** Every step of {@link families} that differs from its recording. A step that passes must leave the list. */
export const expectedFailures: readonly ExpectedFailure[] = [
  {
    family: 'apply-lists',
    reason: NO_CUSTOM_RESOURCES,
    steps: [
      'an apply with a set, an atomic list, a map list with a defaulted key, a granular and an atomic map',
      'a second applier adds to the set, the map list and the granular map',
      'a missing key takes its default, so that the same item is meant',
      'a conflict inside an item names it by its keys',
      'an atomic list conflicts as a whole',
      'an atomic map conflicts as a whole',
      'the same atomic value is shared without a conflict',
      'a duplicate in a set is refused',
      'a duplicate in a map list is refused, the default counting as a key',
      'an item without a key that has no default is refused',
      'items and keys that their only owner leaves out are removed, shared ones stay',
      'nested map lists are owned item by item',
      'another applier adds a nested item under the same parent',
      'a parent given up by its creator lives on with what the other owns of it',
      'a set takes the order of the apply; what others own stays behind it',
      'a null for a map that is not nullable is refused',
      'an empty map is owned as such; an empty list of items is stored and not owned',
      'a field that is given up goes back to its default; what nobody owned stays',
      'force replaces an atomic list of another owner',
    ],
  },
  {
    family: 'apply-lists',
    reason: 'the owner that they name is a custom resource, and those are not supported yet',
    steps: [
      'ownerReferences are a map by uid',
      'an item of ownerReferences is atomic: a second applier conflicts with it as a whole',
    ],
  },
  {
    family: 'patch-strategic',
    reason: NO_CUSTOM_RESOURCES,
    steps: ['a custom resource has no strategic merge patch: 415'],
  },
  {
    family: 'cluster-trust-bundle',
    reason:
      'every authenticated user may read trust bundles, as the contract says; Kubernetes grants the right to service accounts only',
    steps: ['a reader who is only authenticated'],
  },
  {
    family: 'watch',
    reason: NO_CUSTOM_RESOURCES,
    steps: ['events of a custom resource: its generation goes up with the spec, not with the status'],
  },
];
