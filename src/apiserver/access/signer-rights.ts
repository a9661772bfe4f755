import type { SignerRights } from '../../admission/index.js';
import { groupName, systemGroup, type Dialect, type UserInfo } from '../../foundation/index.js';
import type { Attributes, Authorizer } from '../../security/index.js';

/**
 * Returns the function that decides permissions on signers. The server's authorizers must allow the signer's name or
 * all signers of its domain.
 *
 * @param owner user of the server's own process, who has all permissions
 */
export function signerRights(authorize: Authorizer, dialect: Dialect, owner: UserInfo): SignerRights {
  const attributes: Omit<Attributes, 'user' | 'verb' | 'name'> = {
    isResource: true,
    namespace: '',
    apiGroup: groupName(systemGroup('certificates'), dialect),
    apiVersion: '*',
    resource: 'signers',
    subresource: '',
    path: '',
  };
  return async (user, verb, signerName) => {
    if (user === owner) return true;
    const [domain = ''] = signerName.split('/');
    for (const name of [signerName, `${domain}/*`]) {
      const { decision } = await authorize({ ...attributes, user, verb, name });
      if (decision === 'Allow') return true;
    }
    return false;
  };
}
