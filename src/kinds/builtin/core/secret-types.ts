import {
  decodeBase64Text,
  goObjectError,
  invalid,
  parseTime,
  required,
  type Dialect,
  type FieldError,
} from '../../../foundation/index.js';

type Data = Readonly<Record<string, string>>;
type TypeRule = (data: Data, annotations: Readonly<Record<string, string>>, dialect: Dialect) => FieldError[];

const requiredKey = (key: string): FieldError => required(`data[${key}]`);

/** Requires a key with a JSON object. */
function jsonKey(data: Data, key: string): FieldError[] {
  const content = data[key];
  if (content === undefined) return [requiredKey(key)];
  const problem = goObjectError(decodeBase64Text(content) ?? '');
  return problem === undefined ? [] : [invalid(`data[${key}]`, '<secret contents redacted>', problem)];
}

type TokenKey = readonly [key: string, required: boolean, isValid: (text: string) => boolean, rule: string];

const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** Validated keys of a bootstrap token; the description and the usages are not validated. */
const bootstrapTokenKeys: readonly TokenKey[] = [
  ['token-id', true, (text) => /^[a-z0-9]{6}$/.test(text), 'must be six characters of a-z and 0-9'],
  ['token-secret', true, (text) => /^[a-z0-9]{16}$/.test(text), 'must be sixteen characters of a-z and 0-9'],
  ['expiration', false, (text) => parseTime(text) !== undefined, 'must be an RFC 3339 time'],
  [
    'auth-extra-groups',
    false,
    (text) => text.split(',').every((group) => EXTRA_GROUP.test(group)),
    'each group must start with system:bootstrappers:',
  ],
];

const presentKeys = (data: Data, keys: readonly string[]): FieldError[] =>
  keys.filter((key) => data[key] === undefined).map(requiredKey);

/**
 * The rules of each built-in secret type, by its name in the dialect's `secretTypes`. The rules of bootstrap tokens
 * come from the contract ("Bootstrap token secret"); Kubernetes accepts any secret of that type, and its authenticator
 * ignores invalid tokens.
 */
const typeRules = {
  serviceAccountToken(_data, annotations, dialect) {
    const annotation = `${dialect.labelDomain}/service-account.name`;
    return annotations[annotation] ? [] : [required(`metadata.annotations[${annotation}]`)];
  },
  dockercfg: (data) => jsonKey(data, '.dockercfg'),
  dockerConfigJson: (data) => jsonKey(data, '.dockerconfigjson'),
  basicAuth(data) {
    const keys = ['username', 'password'];
    return keys.some((key) => data[key] !== undefined) ? [] : keys.map(requiredKey);
  },
  sshAuth: (data) => (data['ssh-privatekey'] ? [] : [requiredKey('ssh-privatekey')]),
  tls: (data) => presentKeys(data, ['tls.crt', 'tls.key']),
  bootstrapToken: (data) =>
    bootstrapTokenKeys.flatMap(([key, isRequired, isValid, rule]) => {
      const content = data[key];
      if (content === undefined) return isRequired ? [requiredKey(key)] : [];
      return isValid(decodeBase64Text(content) ?? '')
        ? []
        : [invalid(`data[${key}]`, '<secret contents redacted>', rule)];
    }),
} satisfies Readonly<Record<string, TypeRule>>;

const ruleNames = Object.keys(typeRules) as (keyof typeof typeRules)[];

/** Validates the data of a secret against its type. Types that are not built in have no rules. */
export function secretTypeErrors(
  type: string,
  data: Data,
  annotations: Readonly<Record<string, string>>,
  dialect: Dialect,
): FieldError[] {
  for (const name of ruleNames) {
    const rule: TypeRule = typeRules[name];
    if (dialect.secretTypes[name] === type) return rule(data, annotations, dialect);
  }
  return [];
}
