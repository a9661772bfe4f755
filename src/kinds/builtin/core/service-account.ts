import { serviceAccountName } from '../../../foundation/index.js';
import type { Unvalidated } from '../../../registry/index.js';
import type { coreV1 } from '../../types/index.js';
import { TokenRequest } from '../authentication/token-request.js';
import type { StoredKind } from '../behaviour.js';
import { builtinKind } from '../builtin-kind.js';

/** Reduces references to secrets to the name, because the secrets are in the namespace of the account. */
function keepSecretNames(account: Unvalidated<StoredKind<coreV1.ServiceAccount>>): void {
  if (account.secrets !== undefined)
    account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

/** An identity for programs that run in the cluster. */
export const ServiceAccount = builtinKind<coreV1.ServiceAccount>('core.v1.ServiceAccount', {
  kinds: { token: TokenRequest },
  behaviour: {
    strategy: {
      nameRule: serviceAccountName,
      deleteReturnsObject: true,
      deleteCollectionReturnsStatus: true,
      prepareForCreate: keepSecretNames,
      prepareForUpdate: keepSecretNames,
    },
    cells: { Secrets: ({ secrets = [] }) => secrets.length },
  },
});

/** An object of the kind {@link ServiceAccount}. */
export type ServiceAccount = coreV1.ServiceAccount;
