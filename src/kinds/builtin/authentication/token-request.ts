import { systemGroup } from '../../../foundation/index.js';
import type { authenticationV1 } from '../../types/index.js';
import type { FieldsOf } from '../behaviour.js';
import { subresourceKind } from '../builtin-kind.js';

/** Default lifetime of a token, in seconds. */
const DEFAULT_EXPIRATION_SECONDS = 3600;

/** The requested token. Without audiences the token is for the API server. */
type RequestSpec = Partial<Omit<authenticationV1.TokenRequestSpec, 'audiences' | 'expirationSeconds'>> & {
  audiences?: string[] | null | undefined;
  /** Requested lifetime in seconds. Default an hour. */
  expirationSeconds?: number | undefined;
};

/** An object of the kind {@link TokenRequest}. */
export type TokenRequest = Omit<authenticationV1.TokenRequest, 'spec'> & { spec?: RequestSpec | undefined };

/** Requests a token of a service account; created at the subresource `token` of the account. Not stored. */
export const TokenRequest = subresourceKind<TokenRequest>(
  {
    group: systemGroup('authentication'),
    version: 'v1',
    kind: 'TokenRequest',
    plural: 'tokenrequests',
    type: 'authentication.v1.TokenRequest',
  },
  {
    behaviour: {
      strategy: {
        defaults(object) {
          object.spec ??= {};
          object.spec.expirationSeconds ??= DEFAULT_EXPIRATION_SECONDS;
        },
      },
    },
  },
);

/** The decoded fields of a TokenRequest. */
export type TokenRequestFields = FieldsOf<TokenRequest>;
