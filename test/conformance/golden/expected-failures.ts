/** Steps of one family that differ for one reason. */
export interface ExpectedFailure {
  readonly family: string;
  /** What is missing. */
  readonly reason: string;
  /** Names of the steps, as the recordings have them. */
  readonly steps: readonly string[];
}

/** Families that are replayed. */
export const families: readonly string[] = [
  'content',
  'crud',
  'deletion',
  'discovery',
  'dry-run',
  'errors',
  'field-validation',
  'generate-name',
  'listing',
  'namespaces',
  'watch',
];

const NO_GROUP = 'the groups authentication, authorization, rbac and certificates are not served yet';

/** Every step of {@link families} that differs from its recording. A step that passes must leave the list. */
export const expectedFailures: readonly ExpectedFailure[] = [
  { family: 'content', reason: NO_GROUP, steps: ['discovery of a version as YAML'] },
  {
    family: 'discovery',
    reason: NO_GROUP,
    steps: [
      'group authentication.k8s.io',
      'group authorization.k8s.io',
      'group rbac.authorization.k8s.io',
      'group certificates.k8s.io prefers v1',
      'resources of authentication.k8s.io/v1',
      'resources of authorization.k8s.io/v1',
      'resources of rbac.authorization.k8s.io/v1',
      'resources of certificates.k8s.io/v1',
      'resources of authentication.k8s.io/v1 as YAML',
      'a resource that the version does not have is 404',
      'DELETE of a list of resources is 405',
      'an unknown version of a known group is 404',
      'every authenticated user may read discovery',
    ],
  },
  { family: 'watch', reason: 'custom resources are not served yet', steps: ['events of a custom resource: its generation goes up with the spec, not with the status'] },
];
