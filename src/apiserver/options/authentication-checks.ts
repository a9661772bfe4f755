import {
  aBoolean,
  aCount,
  aDuration,
  aFunction,
  aName,
  aText,
  durationMs,
  listOf,
  matching,
  nested,
  type OptionChecks,
} from '../../foundation/index.js';
import { aUser, type WrongTokenLimits } from '../../security/index.js';
import type { AuthenticationOptions } from '../authentication/authentication.js';
import type { ServiceAccountOptions } from '../authentication/service-accounts.js';
import { anAuthenticationConfiguration, anOpenIdConnect, aTokenWebhook, texts } from './outbound-checks.js';

const aTextOrAFunction = matching(
  'a string, or a function that returns it',
  (value) => typeof value === 'string' || typeof value === 'function',
);

const serviceAccountChecks: OptionChecks<ServiceAccountOptions> = {
  issuers: texts,
  signingKey: aName,
  signingKeyLifetime: aDuration,
  verificationKeys: texts,
  maxTokenExpiration: aDuration,
  extendTokenExpiration: aBoolean,
  lookup: aBoolean,
  jwksUri: aName,
};

const authorities = {
  certificateAuthorities: aTextOrAFunction,
  onReloadFailure: aFunction,
  cacheSize: aCount('chains'),
};

/** Checks `authentication.wrongBootstrapTokens`. */
export const wrongTokenChecks: OptionChecks<WrongTokenLimits> = {
  perSource: aCount('tokens'),
  inAll: aCount('tokens'),
};

/** Checks `authentication`. */
export const authenticationChecks: OptionChecks<AuthenticationOptions> = {
  tokens: listOf(nested({ token: aName, user: aUser }, ['token', 'user']), 'a list of { token, user }'),
  authenticators: listOf(aFunction, 'a list of functions'),
  anonymous: aBoolean,
  apiAudiences: texts,
  serviceAccounts: nested(serviceAccountChecks),
  bootstrapTokens: aBoolean,
  wrongBootstrapTokens: nested(wrongTokenChecks),
  clientCertificates: nested({ ...authorities, userConversion: aFunction }, ['certificateAuthorities']),
  requestHeader: nested(
    {
      ...authorities,
      allowedNames: listOf(aText),
      usernameHeaders: listOf(aText),
      groupHeaders: listOf(aText),
      extraHeaderPrefixes: listOf(aText),
    },
    ['certificateAuthorities'],
  ),
  tokenWebhook: aTokenWebhook,
  openIdConnect: anOpenIdConnect,
  configuration: anAuthenticationConfiguration,
  ownerToken: aName,
};

/** Returns what contradicts itself in `authentication`. */
export function contradictionInAuthentication({
  tokens = [],
  ownerToken,
  serviceAccounts = {},
}: AuthenticationOptions = {}): string | undefined {
  const seen = new Set(ownerToken === undefined ? [] : [ownerToken]);
  for (const [index, { token }] of tokens.entries()) {
    if (seen.has(token)) return `the option authentication.tokens[${index}].token is given twice; a token has one user`;
    seen.add(token);
  }
  return contradictionInKeys(serviceAccounts);
}

const SHORTEST_KEY_LIFETIME_MS = 86_400_000;

function contradictionInKeys({ signingKey, signingKeyLifetime: lifetime }: ServiceAccountOptions): string | undefined {
  if (lifetime === undefined) return undefined;
  const option = 'the option authentication.serviceAccounts.signingKeyLifetime';
  if (signingKey !== undefined)
    return `${option} is for a key that the server generates: leave it out, or authentication.serviceAccounts.signingKey`;
  return durationMs(lifetime) < SHORTEST_KEY_LIFETIME_MS ? `${option} must be at least a day` : undefined;
}
