/**
 * Validation of an AuthorizationConfiguration, with the rules, order and words of Kubernetes.
 *
 * @module
 */
import {
  aggregateText,
  appendErrors,
  dnsSubdomainErrors,
  duplicate,
  FieldErrorList,
  FieldPath,
  invalid,
  notSupported,
  required,
  type Dialect,
  type FieldError,
} from '../../../foundation/index.js';
import { authorizerTypes, type AuthorizationConfiguration, type UncheckedAuthorizationConfiguration } from './types.js';
import { validateWebhook } from './validate-webhook.js';

/** Access to the files that a configuration names. */
export interface FileChecks {
  isAbsolute(path: string): boolean;
  /**
   * Returns the problem with a file in the words of Kubernetes (`must be a regular file`, `error loading file: …`), or
   * undefined when there is none.
   */
  problemOf(path: string): string | undefined | Promise<string | undefined>;
}

/** Options of the validation. */
export interface AuthorizationConfigurationRules {
  readonly dialect: Dialect;
  /** Whether match conditions can read selectors (feature gate `AuthorizeWithSelectors`). Default false. */
  readonly withSelectors?: boolean | undefined;
  /** When absent, a path is absolute when it starts with a slash, and no file is read. */
  readonly files?: FileChecks | undefined;
}

/**
 * Validates a configuration. Asynchronous because match conditions are compiled.
 *
 * @returns errors in the order of Kubernetes; empty when the configuration is valid
 */
export async function validateAuthorizationConfiguration(
  { authorizers }: UncheckedAuthorizationConfiguration,
  rules: AuthorizationConfigurationRules,
): Promise<FieldError[]> {
  const root = FieldPath.of('authorizers');
  if (authorizers.length === 0) return [required(root, 'at least one authorization mode must be defined')];
  const seen: Seen = { types: new Set(), names: new Set() };
  const errors = new FieldErrorList();
  for (const [index, authorizer] of authorizers.entries())
    appendErrors(errors, await validateAuthorizer(authorizer, root.index(index), seen, rules));
  return errors;
}

type Authorizer = UncheckedAuthorizationConfiguration['authorizers'][number];

interface Seen {
  readonly types: Set<string>;
  readonly names: Set<string>;
}

async function validateAuthorizer(
  { type = '', name = '', webhook }: Authorizer,
  path: FieldPath,
  seen: Seen,
  rules: AuthorizationConfigurationRules,
): Promise<FieldError[]> {
  if (type === '') return [required(path.child('type'))];
  if (!(authorizerTypes as readonly string[]).includes(type))
    return [notSupported(path.child('type'), type, authorizerTypes)];
  if (seen.types.has(type) && type !== 'Webhook') return [duplicate(path.child('type'), type)];
  seen.types.add(type);
  const errors = validateName(name, path.child('name'), seen.names);
  if (type !== 'Webhook')
    return webhook === undefined
      ? errors
      : [...errors, invalid(path.child('webhook'), 'non-null', 'may only be specified when type=Webhook')];
  if (webhook === undefined) return [...errors, required(path.child('webhook'), 'required when type=Webhook')];
  return [...errors, ...(await validateWebhook(webhook, path, rules))];
}

function validateName(name: string, path: FieldPath, seen: Set<string>): FieldError[] {
  if (name === '') return [required(path)];
  if (seen.has(name)) return [duplicate(path, name)];
  seen.add(name);
  const problems = dnsSubdomainErrors(name);
  return problems.length === 0 ? [] : [invalid(path, name, `authorizer name is invalid: ${problems.join(', ')}`)];
}

/**
 * Validates a configuration with {@link validateAuthorizationConfiguration}, and requires that authorizers other than
 * webhooks are named by their type in lowercase.
 *
 * @throws Error with all errors, in the words of Kubernetes
 */
export async function checkAuthorizationConfiguration(
  configuration: UncheckedAuthorizationConfiguration,
  rules: AuthorizationConfigurationRules,
): Promise<AuthorizationConfiguration> {
  const errors = await validateAuthorizationConfiguration(configuration, rules);
  if (errors.length > 0) throw new Error(aggregateText(errors));
  const misnamed = configuration.authorizers.flatMap(({ type = '', name = '' }) => {
    const expected = type.toLowerCase();
    return type === 'Webhook' || name === expected
      ? []
      : [`expected name ${expected} for authorizer ${type} instead of ${name}`];
  });
  if (misnamed.length > 0) throw new Error(misnamed.length === 1 ? misnamed.join('') : `[${misnamed.join(', ')}]`);
  // Validation has established the type.
  return configuration as AuthorizationConfiguration;
}
