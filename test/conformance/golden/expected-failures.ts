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
  'admission-policy',
  'apply-basics',
  'apply-lists',
  'cluster-trust-bundle',
  'content',
  'crd',
  'crd-cel',
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

/** Every step of {@link families} that differs from its recording. A step that passes must leave the list. */
export const expectedFailures: readonly ExpectedFailure[] = [
  {
    family: 'cluster-trust-bundle',
    reason:
      'every authenticated user may read trust bundles, as the contract says; Kubernetes grants the right to service accounts only',
    steps: ['a reader who is only authenticated'],
  },
];
