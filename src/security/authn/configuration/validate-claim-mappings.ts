import {
  dnsSubdomainErrors,
  duplicate,
  invalid,
  patternText,
  required,
  type Dialect,
  type FieldError,
  type FieldPath,
} from '../../../foundation/index.js';
import type { CelProgram } from '../../../machinery/index.js';
import { compiled } from './compiled.js';
import type { ExpressionCompiler } from './expressions.js';
import type { ClaimMappings, PrefixedClaimOrExpression } from './types.js';

/** Use of e-mail claims: a user name must not be built from an unverified address. */
export interface EmailUse {
  usesEmail: boolean;
  usesEmailVerified: boolean;
}

/** Records the claims that an expression reads. */
export function noteVerification(email: EmailUse, program: CelProgram | undefined): void {
  if (program?.selects('claims', 'email_verified') === true) email.usesEmailVerified = true;
}

const EMAIL_UNVERIFIED =
  'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression ' +
  'when claims.email is used in claimMappings.username.expression';
const BOTH = "claim and expression can't both be set";

/** Validates the claim mappings. */
export function validateClaimMappings(
  mappings: ClaimMappings,
  path: FieldPath,
  compiler: ExpressionCompiler | undefined,
  email: EmailUse,
  dialect: Dialect,
): FieldError[] {
  const username = validatePrefixed(mappings.username, path.child('username'), true, compiler);
  if (username.errors.length === 0 && username.program !== undefined) {
    email.usesEmail ||= username.program.selects('claims', 'email');
    noteVerification(email, username.program);
  }
  const errors = [
    ...username.errors,
    ...validatePrefixed(mappings.groups ?? {}, path.child('groups'), false, compiler).errors,
    ...validateUid(mappings.uid ?? {}, path.child('uid'), compiler),
    ...validateExtra(mappings.extra ?? [], path.child('extra'), compiler, email, dialect),
  ];
  if (email.usesEmail && !email.usesEmailVerified)
    errors.push(invalid(path.child('username', 'expression'), mappings.username.expression, EMAIL_UNVERIFIED));
  return errors;
}

interface ValidatedMapping {
  readonly program?: CelProgram | undefined;
  readonly errors: readonly FieldError[];
}

function validatePrefixed(
  { claim = '', prefix, expression = '' }: PrefixedClaimOrExpression,
  path: FieldPath,
  isRequired: boolean,
  compiler: ExpressionCompiler | undefined,
): ValidatedMapping {
  if (expression !== '' && claim !== '') return { errors: [invalid(path, '', BOTH)] };
  if (expression !== '') {
    const errors =
      prefix === undefined ? [] : [invalid(path.child('prefix'), prefix, "prefix can't be set when expression is set")];
    const result = compiled(path.child('expression'), expression, compiler?.mapping);
    return 'error' in result ? { errors: [...errors, result.error] } : { errors, program: result.program };
  }
  if (claim === '') return { errors: isRequired ? [required(path, 'claim or expression is required')] : [] };
  const missing = 'prefix is required when claim is set. It can be set to an empty string to disable prefixing';
  return { errors: prefix === undefined ? [required(path.child('prefix'), missing)] : [] };
}

function validateUid(
  { claim = '', expression = '' }: NonNullable<ClaimMappings['uid']>,
  path: FieldPath,
  compiler: ExpressionCompiler | undefined,
): FieldError[] {
  if (claim !== '' && expression !== '') return [invalid(path, '', BOTH)];
  if (expression === '') return [];
  const result = compiled(path.child('expression'), expression, compiler?.mapping);
  return 'error' in result ? [result.error] : [];
}

function validateExtra(
  extra: NonNullable<ClaimMappings['extra']>,
  path: FieldPath,
  compiler: ExpressionCompiler | undefined,
  email: EmailUse,
  dialect: Dialect,
): FieldError[] {
  const seen = new Set<string>();
  return extra.flatMap(({ key, valueExpression }, index) => {
    const at = path.index(index);
    const errors = validateExtraKey(key, at.child('key'), dialect);
    if (seen.has(key)) return [...errors, duplicate(at.child('key'), key)];
    seen.add(key);
    if (valueExpression === '')
      return [...errors, required(at.child('valueExpression'), 'valueExpression is required')];
    const result = compiled(at.child('valueExpression'), valueExpression, compiler?.mapping);
    if ('error' in result) return [...errors, result.error];
    noteVerification(email, result.program);
    return errors;
  });
}

function validateExtraKey(key: string, path: FieldPath, dialect: Dialect): FieldError[] {
  const errors = domainPrefixedPathErrors(key, path);
  if (key !== key.toLowerCase()) errors.push(invalid(path, key, 'key must be lowercase'));
  const [domain] = key.includes('/') ? key.split('/') : [];
  const reserved = [...new Set([dialect.groupSuffix, dialect.labelDomain])];
  if (domain !== undefined && reserved.some((name) => domain === name || domain.endsWith(`.${name}`))) {
    const [owner, are] = [
      dialect.openApi.title,
      reserved.length === 1 ? 'and its subdomains are' : 'and their subdomains are',
    ];
    errors.push(invalid(path, key, `${reserved.join(', ')} ${are} reserved for ${owner} use`));
  }
  return errors;
}

const PATH_PATTERN = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** Validates a name with a domain prefix, such as `acme.io/foo`. */
function domainPrefixedPathErrors(value: string, path: FieldPath): FieldError[] {
  if (value === '') return [required(path)];
  const slash = value.indexOf('/');
  const [domain, rest] = [value.slice(0, Math.max(slash, 0)), value.slice(slash + 1)];
  if (domain === '' || rest === '')
    return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const errors = dnsSubdomainErrors(domain).map((detail) => invalid(path, domain, detail));
  return new RegExp(`^${PATH_PATTERN}$`).test(rest)
    ? errors
    : [...errors, invalid(path, rest, patternText('Invalid path', PATH_PATTERN))];
}
