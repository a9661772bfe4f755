import { invalid, required, type FieldError } from '../../meta/field-error.js';
import type { Dialect } from '../../names/dialect.js';
import { decodeBase64Text } from '../shared/base64.js';
import { goObjectError } from '../shared/go-json.js';

type Data = Readonly<Record<string, string>>;
type TypeRule = (data: Data, annotations: Readonly<Record<string, string>>, dialect: Dialect) => FieldError[];

const requiredKey = (key: string): FieldError => required(`data[${key}]`);

/** Key that must be there, and hold a JSON object. */
function jsonKey(data: Data, key: string): FieldError[] {
  const content = data[key];
  if (content === undefined) return [requiredKey(key)];
  const problem = goObjectError(decodeBase64Text(content));
  return problem === undefined ? [] : [invalid(`data[${key}]`, '<secret contents redacted>', problem)];
}

const presentKeys = (data: Data, keys: readonly string[]): FieldError[] => keys.filter((key) => data[key] === undefined).map(requiredKey);

/**
 * What each type of the platform demands, by the name it has in a dialect's `secretTypes`. Bootstrap tokens have no entry:
 * the production system takes any secret of that type, and the authenticator passes over those that make no token.
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
} satisfies Readonly<Record<string, TypeRule>>;

const ruleNames = Object.keys(typeRules) as (keyof typeof typeRules)[];

/** What a secret lacks of what its type demands; other types demand nothing. */
export function secretTypeErrors(type: string, data: Data, annotations: Readonly<Record<string, string>>, dialect: Dialect): FieldError[] {
  for (const name of ruleNames) {
    const rule: TypeRule = typeRules[name];
    if (dialect.secretTypes[name] === type) return rule(data, annotations, dialect);
  }
  return [];
}
