/**
 * Option checks for external services and configurations. The content of a configuration is checked where it is read.
 *
 * @module
 */
import {
  aCount,
  aDuration,
  aFunction,
  aName,
  anObject,
  aNumber,
  aPositiveDuration,
  aText,
  checkedElsewhere,
  implementing,
  listOf,
  matching,
  nested,
  oneOf,
  reviewVersions,
  type OptionCheck,
  type OptionChecks,
  type WebhookBackoff,
  type WebhookOptions,
} from '../../foundation/index.js';
import type {
  AuthenticationConfiguration,
  AuthorizationConfiguration,
  OpenIdConnectOptions,
  WebhookAuthorizerConfiguration,
} from '../../security/index.js';
import type { AuthorizationByConfiguration, AuthorizationByModes } from '../access/authorization-options.js';
import type { AuthenticationOptions } from '../authentication/authentication.js';
import type { ConfigurationFile } from './configuration-source.js';

/** Checks a list of texts that are not empty. */
export const texts = listOf(aName, 'a list of strings');

/** Checks an HTTP client. The most common mistake is an object with methods, as in other HTTP clients. */
export const anHttpClient: OptionCheck = matching(
  'a function from a request { method, url, headers, body } to a promise of { status, headers, body }',
  (value) => typeof value === 'function',
);

const postChecks: OptionChecks<Omit<WebhookOptions, 'clock' | 'entropy'>> = {
  post: matching(
    'a function that posts a string to the webhook and returns a promise of its response, such as webhookPost() returns',
    (value) => typeof value === 'function',
  ),
  timeout: aPositiveDuration,
  maxBytes: aCount('bytes', 1),
  retry: nested({
    initial: aDuration,
    factor: aNumber('times', 1),
    jitter: aNumber('parts'),
    steps: aCount('attempts', 1),
  } satisfies OptionChecks<WebhookBackoff>),
};

/** Checks a webhook for tokens. */
export const aTokenWebhook: OptionCheck = nested(
  {
    ...postChecks,
    version: oneOf(...reviewVersions),
    cacheTtl: aDuration,
    cacheSize: aCount('answers'),
  } satisfies OptionChecks<NonNullable<AuthenticationOptions['tokenWebhook']>>,
  ['post'],
);

/** Checks a webhook for authorization. */
export const anAccessWebhook: OptionCheck = nested(
  {
    ...postChecks,
    version: oneOf(...reviewVersions),
    authorizedTtl: aDuration,
    unauthorizedTtl: aDuration,
    failurePolicy: oneOf('NoOpinion', 'Deny'),
    matchConditions: listOf(nested({ expression: aName }, ['expression']), 'a list of { expression }'),
    cacheSize: aCount('answers'),
    onError: aFunction,
  } satisfies OptionChecks<NonNullable<AuthorizationByModes['webhook']>>,
  ['post'],
);

/**
 * Checks an OpenID Connect provider. Missing options are reported where the flags are read, in the words of Kubernetes.
 */
export const anOpenIdConnect: OptionCheck = nested({
  issuerUrl: aText,
  clientId: aText,
  usernameClaim: aText,
  usernamePrefix: aText,
  groupsClaim: aText,
  groupsPrefix: aText,
  requiredClaims: (value, path) =>
    anObject(value, path) ??
    Object.entries(value as object)
      .map(([claim, wanted]) => aText(wanted, `${path}[${JSON.stringify(claim)}]`))
      .find((problem) => problem !== undefined),
  certificateAuthority: aName,
  signingAlgorithms: texts,
} satisfies OptionChecks<OpenIdConnectOptions>);

const aFile = implementing(
  'a configuration file',
  { text: aText, read: aFunction, onChange: aFunction } satisfies OptionChecks<ConfigurationFile>,
  ['text', 'read'],
);

/** Checks a configuration given as a value or a file, distinguished by the members that are set. */
function aConfiguration(checks: Readonly<Record<string, OptionCheck>>, required: readonly string[]): OptionCheck {
  const aValue = nested(checks, required);
  return (value, path) => {
    if (typeof value === 'string')
      return `the option ${path} must be a configuration, or a file as { text, read }, got a string: set { text, read: () => text }`;
    const isFile = typeof value === 'object' && value !== null && ('text' in value || 'read' in value);
    return (isFile ? aFile : aValue)(value, path);
  };
}

/** Checks an AuthenticationConfiguration. */
export const anAuthenticationConfiguration = aConfiguration(
  {
    jwt: listOf(anObject, 'a list of authenticators, which may be empty'),
    anonymous: anObject,
  } satisfies OptionChecks<AuthenticationConfiguration>,
  ['jwt'],
);

/** An authorizer of a configuration. Its values are checked with the words of Kubernetes, as those of a file are. */
const anAuthorizer = nested({
  type: checkedElsewhere,
  name: checkedElsewhere,
  webhook: nested({
    authorizedTTL: checkedElsewhere,
    unauthorizedTTL: checkedElsewhere,
    timeout: checkedElsewhere,
    subjectAccessReviewVersion: checkedElsewhere,
    matchConditionSubjectAccessReviewVersion: checkedElsewhere,
    failurePolicy: checkedElsewhere,
    connectionInfo: checkedElsewhere,
    matchConditions: checkedElsewhere,
  } satisfies OptionChecks<WebhookAuthorizerConfiguration>),
});

/** An AuthorizationConfiguration. */
const anAuthorizationConfiguration = aConfiguration(
  { authorizers: listOf(anAuthorizer, 'a list of authorizers') } satisfies OptionChecks<AuthorizationConfiguration>,
  ['authorizers'],
);

/** Checks authorization by a configuration. ABAC policies are checked where they are read. */
export const authorizationConfigurationChecks = {
  configuration: anAuthorizationConfiguration,
  connect: aFunction,
  files: implementing('access to files', { isAbsolute: aFunction, problemOf: aFunction }, ['isAbsolute', 'problemOf']),
} satisfies Partial<OptionChecks<AuthorizationByConfiguration>>;
