import type { Attributes } from '../../../../src/security/authz/index.js';

const NOBODY: Attributes = {
  user: { username: '', groups: [] },
  verb: '',
  isResource: false,
  namespace: '',
  apiGroup: '',
  apiVersion: '',
  resource: '',
  subresource: '',
  name: '',
  path: '',
};

/** A request of an authenticated user, unless `groups` differs. A namespace or resource makes it a resource request. */
export function request({
  username = 'alice',
  groups = ['system:authenticated'],
  ...facts
}: Partial<Omit<Attributes, 'user'>> & { username?: string; groups?: string[] }): Attributes {
  return {
    ...NOBODY,
    isResource: (facts.namespace ?? '') !== '' || (facts.resource ?? '') !== '',
    user: { username, groups },
    ...facts,
  };
}

/** A line of the current version. */
export function line(spec: Record<string, unknown>, domain = 'orch.io'): string {
  return JSON.stringify({ apiVersion: `abac.authorization.${domain}/v1beta1`, kind: 'Policy', spec });
}
