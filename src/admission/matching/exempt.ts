import type { ResourceDefinition } from '../../registry/index.js';

/** The configuration of admission: a policy or webhook must not prevent its own repair. */
const CONFIGURATION: ReadonlySet<string> = new Set([
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'validatingwebhookconfigurations',
]);

/** Reviews, which change nothing, by group. */
const REVIEWS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['authentication', new Set(['selfsubjectreviews', 'tokenreviews'])],
  [
    'authorization',
    new Set([
      'localsubjectaccessreviews',
      'selfsubjectaccessreviews',
      'selfsubjectrulesreviews',
      'subjectaccessreviews',
    ]),
  ],
]);

/**
 * Returns whether a kind configures admission, in any version: no webhook intercepts it. Source:
 * `admission/plugin/webhook/predicates/rules` of Kubernetes 1.31.
 */
export function isAdmissionConfiguration({ group, plural }: ResourceDefinition): boolean {
  return typeof group !== 'string' && group.system === 'admissionregistration' && CONFIGURATION.has(plural);
}

/**
 * Returns whether a kind is exempt from policies, in any version: the configuration of admission, and reviews. Source:
 * `admission/plugin/policy` and `pkg/kubeapiserver/admission/exclusion` of Kubernetes 1.31.
 */
export function isExempt(definition: ResourceDefinition): boolean {
  const { group, plural } = definition;
  return (
    isAdmissionConfiguration(definition) ||
    (typeof group !== 'string' && REVIEWS.get(group.system)?.has(plural) === true)
  );
}
