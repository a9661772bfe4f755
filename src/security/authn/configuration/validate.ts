/**
 * Validation of an AuthenticationConfiguration, with the rules, order and words of Kubernetes.
 *
 * @module
 */
import {
  duplicate,
  FieldErrorList,
  FieldPath,
  forbidden,
  goQuote,
  invalid,
  tooMany,
  VerbatimValue,
  type Dialect,
  type FieldError,
} from '../../../foundation/index.js';
import { compileExpressions, type ExpressionCompiler } from './expressions.js';
import type { AnonymousConfiguration, AuthenticationConfiguration, JwtAuthenticatorConfiguration } from './types.js';
import { validateClaimMappings, type EmailUse } from './validate-claim-mappings.js';
import { shownUrl, validateIssuer } from './validate-issuer.js';
import { validateClaimValidationRules, validateUserValidationRules } from './validate-rules.js';

/** Maximum number of authenticators in a file. */
const MAX_AUTHENTICATORS = 64;

/** Options of the validation. */
export interface AuthenticationConfigurationRules {
  readonly dialect: Dialect;
  /** Issuers of the server's own service account tokens, which no other authenticator can use. */
  readonly disallowedIssuers?: readonly string[] | undefined;
  /** The feature gate `AnonymousAuthConfigurableEndpoints`. */
  readonly anonymousConfigurable?: boolean | undefined;
}

/**
 * Validates a configuration. Asynchronous because expressions are compiled.
 *
 * @returns errors in the order of Kubernetes; empty when the configuration is valid
 */
export async function validateAuthenticationConfiguration(
  configuration: AuthenticationConfiguration,
  rules: AuthenticationConfigurationRules,
): Promise<FieldError[]> {
  const { jwt, anonymous } = configuration;
  const root = FieldPath.of('jwt');
  if (jwt.length > MAX_AUTHENTICATORS) return [tooMany(root, jwt.length, MAX_AUTHENTICATORS)];
  const compiler = await compileExpressions(jwt, rules.dialect);
  const issuers = new Set<string>();
  const discoveryUrls = new Set<string>();
  const errors = jwt.flatMap((authenticator, index) => {
    const path = root.index(index);
    const { url, discoveryURL = '' } = authenticator.issuer;
    return [
      ...validateAuthenticator(authenticator, path, rules, compiler),
      ...unique(issuers, url, path.child('issuer', 'url')),
      ...(discoveryURL === '' ? [] : unique(discoveryUrls, discoveryURL, path.child('issuer', 'discoveryURL'))),
    ];
  });
  return [
    ...errors,
    ...(anonymous === undefined ? [] : validateAnonymous(anonymous, rules.anonymousConfigurable ?? false)),
  ];
}

function unique(seen: Set<string>, url: string, path: FieldPath): FieldError[] {
  const errors = seen.has(url) ? [duplicate(path, shownUrl(url))] : [];
  seen.add(url);
  return errors;
}

function validateAuthenticator(
  authenticator: JwtAuthenticatorConfiguration,
  path: FieldPath,
  { dialect, disallowedIssuers = [] }: AuthenticationConfigurationRules,
  compiler: ExpressionCompiler | undefined,
): FieldError[] {
  const { issuer, claimValidationRules = [], claimMappings, userValidationRules = [] } = authenticator;
  const email: EmailUse = { usesEmail: false, usesEmailVerified: false };
  return [
    ...validateIssuer(issuer, path.child('issuer'), new Set(disallowedIssuers)),
    ...validateClaimValidationRules(claimValidationRules, path.child('claimValidationRules'), compiler, email),
    ...validateClaimMappings(claimMappings, path.child('claimMappings'), compiler, email, dialect),
    ...validateUserValidationRules(userValidationRules, path.child('userValidationRules'), compiler),
  ];
}

function validateAnonymous(
  { enabled, conditions = [] }: AnonymousConfiguration,
  isConfigurable: boolean,
): FieldError[] {
  const errors = new FieldErrorList();
  if (!isConfigurable)
    errors.push(
      forbidden(
        'anonymous',
        'anonymous is not supported when AnonymousAuthConfigurableEndpoints feature gate is disabled',
      ),
    );
  if (!enabled && conditions.length > 0) {
    const shown = conditions.map(({ path }) => `apiserver.AnonymousAuthCondition{Path:${goQuote(path)}}`).join(', ');
    errors.push(
      invalid(
        'anonymous.conditions',
        new VerbatimValue(`[]apiserver.AnonymousAuthCondition{${shown}}`),
        'enabled should be set to true when conditions are defined',
      ),
    );
  }
  return errors;
}
