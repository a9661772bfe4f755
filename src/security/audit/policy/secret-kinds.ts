import { groupName, systemGroup, type Dialect } from '../../../foundation/index.js';
import type { AuditAttributes } from './evaluate.js';

/** Groups with resources whose bodies are secret. */
export interface SecretKinds {
  /** Returns whether the bodies of a request contain credentials: they are never recorded, whatever the policy says. */
  contains(request: Pick<AuditAttributes, 'isResource' | 'apiGroup' | 'resource' | 'subresource'>): boolean;
}

/**
 * Returns the kinds whose bodies are never recorded: Secrets, token requests, token reviews and certificate signing
 * requests. Kubernetes leaves that to the policy.
 */
export function secretKinds(dialect: Dialect): SecretKinds {
  const groups = {
    authentication: groupName(systemGroup('authentication'), dialect),
    certificates: groupName(systemGroup('certificates'), dialect),
  };
  return {
    contains({ isResource, apiGroup, resource, subresource }) {
      if (!isResource) return false;
      if (apiGroup === '') return resource === 'secrets' || (resource === 'serviceaccounts' && subresource === 'token');
      return (
        (apiGroup === groups.authentication && resource === 'tokenreviews') ||
        (apiGroup === groups.certificates && resource === 'certificatesigningrequests')
      );
    },
  };
}
