import type { ResourceDefinition } from '../../registry/definition.js';

/**
 * Resources that no policy intercepts: a policy must not prevent its own repair, and reviews change nothing. Source:
 * `admission/plugin/policy` and `pkg/kubeapiserver/admission/exclusion` of Kubernetes 1.31.
 */
const EXEMPT: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'admissionregistration',
    new Set([
      'mutatingwebhookconfigurations',
      'validatingadmissionpolicies',
      'validatingadmissionpolicybindings',
      'validatingwebhookconfigurations',
    ]),
  ],
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

/** Returns whether a kind is exempt from policies, in every version. */
export function isExempt({ group, plural }: ResourceDefinition): boolean {
  return typeof group !== 'string' && EXEMPT.get(group.system)?.has(plural) === true;
}
