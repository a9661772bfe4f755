import type { UserInfo } from '../../foundation/index.js';
import type { Attributes, Authorizer } from '../../security/index.js';

const NOTHING = {
  ...{
    isResource: true,
    namespace: '',
    apiGroup: '',
    apiVersion: '*',
    resource: '',
    subresource: '',
    name: '',
    path: '',
  },
};

/** Returns whether a user may do something to a resource. */
export async function mayDo(
  authorize: Authorizer,
  user: UserInfo,
  what: Pick<Attributes, 'verb' | 'apiGroup' | 'resource'> & Partial<Attributes>,
): Promise<boolean> {
  return (await authorize({ ...NOTHING, ...what, user })).decision === 'Allow';
}

/** Returns whether a user may send a request to a path. */
export async function mayUse(authorize: Authorizer, user: UserInfo, verb: string, path: string): Promise<boolean> {
  return (await authorize({ ...NOTHING, user, verb, path, isResource: false, apiVersion: '' })).decision === 'Allow';
}
