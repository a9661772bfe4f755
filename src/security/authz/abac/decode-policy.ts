/**
 * Decodes one line of a policy file: its version and its meaning.
 *
 * @module
 */
import {
  apiVersionOf,
  goObjectError,
  goQuote,
  isJsonObject,
  parseApiVersion,
  stringOrEmpty,
  type Dialect,
  type JsonObject,
  type JsonValue,
} from '../../../foundation/index.js';
import { ANY, type AbacPolicy } from './policy.js';

const AUTHENTICATED_GROUP = 'system:authenticated';
const KIND = 'Policy';
const LEGACY = 'v0';
const CURRENT = 'v1beta1';

/** A decoded line. */
export interface DecodedLine {
  readonly policy: AbacPolicy;
  /** The line has no version, and was read as the oldest. */
  readonly isUnversioned: boolean;
}

/** Name and Go type of a field. */
type Field = readonly [name: string, type: 'string' | 'bool'];

const LEGACY_FIELDS: readonly Field[] = [
  ['user', 'string'],
  ['group', 'string'],
  ['readonly', 'bool'],
  ['resource', 'string'],
  ['namespace', 'string'],
];
const CURRENT_FIELDS: readonly Field[] = [...LEGACY_FIELDS, ['apiGroup', 'string'], ['nonResourcePath', 'string']];

/**
 * Decodes a line. Unknown fields are ignored, as in Kubernetes.
 *
 * @throws Error in the words of Kubernetes when the line is not a JSON object, has an unknown type or version, or has a
 *   field of the wrong type
 */
export function decodePolicy(line: string, dialect: Dialect): DecodedLine {
  const object = parseObject(line);
  const apiVersion = typeText(object, 'apiVersion');
  const kind = typeText(object, 'kind');
  const version = parseApiVersion(apiVersion);
  if (version === undefined) throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
  const group = `abac.authorization.${dialect.labelDomain}`;
  if (kind === KIND && version.group === group) {
    if (version.version === CURRENT) return { policy: currentPolicy(object), isUnversioned: false };
    if (version.version === LEGACY) return { policy: legacyPolicy(object), isUnversioned: false };
  }
  requireLegacy(group, version, kind);
  return { policy: legacyPolicy(object), isUnversioned: true };
}

/** JSON can be nested deeper than the stack allows. Kubernetes has a limit with this message. */
function syntaxProblem(line: string): string | undefined {
  try {
    return goObjectError(line);
  } catch (error) {
    if (error instanceof RangeError) return 'exceeded max depth';
    throw error;
  }
}

function parseObject(line: string): JsonObject {
  const problem = syntaxProblem(line);
  if (problem !== undefined) throw new Error(`couldn't get version/kind; json parse error: ${problem}`);
  const value = JSON.parse(line) as JsonValue;
  if (isJsonObject(value)) return value;
  // Kubernetes reads null as an empty policy of the oldest version, which allows everything.
  throw new Error(
    "couldn't get version/kind; json parse error: json: cannot unmarshal null into Go value of type map[string]interface {}",
  );
}

function typeText(object: JsonObject, name: string): string {
  const value = object[name] ?? '';
  if (typeof value !== 'string')
    throw new Error(`couldn't get version/kind; json parse error: ${unmarshalText(value, `.${name}`, 'string')}`);
  return value;
}

/** A line without a version or with an unknown type is read as the oldest version, which fills in missing fields. */
function requireLegacy(
  group: string,
  stated: { readonly group: string; readonly version: string },
  kind: string,
): void {
  const version =
    stated.version === '' && (stated.group === '' || stated.group === group) ? { group, version: LEGACY } : stated;
  if (version.group === group && (kind === '' || kind === KIND)) {
    if (version.version === LEGACY) return;
    if (version.version === CURRENT)
      throw new Error(`converting (${CURRENT}.${KIND}) to (${LEGACY}.${KIND}): unknown conversion`);
  }
  throw new Error(
    `no kind ${goQuote(kind === '' ? KIND : kind)} is registered for version ${goQuote(apiVersionOf(version.group, version.version))}`,
  );
}

const goKind = (value: JsonValue): string => {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
};

const unmarshalText = (value: JsonValue, field: string, type: string): string =>
  `json: cannot unmarshal ${goKind(value)} into Go struct field ${field} of type ${type}`;

/** Checks fields in written order, so the message names the first wrong one. */
function checkFields(object: JsonObject, fields: readonly Field[], where: string): void {
  const types = new Map(fields);
  for (const [name, value] of Object.entries(object)) {
    const type = types.get(name);
    if (type === undefined || value === undefined || value === null) continue;
    if (goKind(value) !== type) throw new Error(unmarshalText(value, `${where}${name}`, type));
  }
}

function currentPolicy(object: JsonObject): AbacPolicy {
  const spec = object['spec'] ?? {};
  if (!isJsonObject(spec)) throw new Error(unmarshalText(spec, `${KIND}.spec`, `${CURRENT}.PolicySpec`));
  checkFields(spec, CURRENT_FIELDS, 'PolicySpec.spec.');
  return {
    ...subject(stringOrEmpty(spec['user']), stringOrEmpty(spec['group'])),
    readonly: spec['readonly'] === true,
    namespace: stringOrEmpty(spec['namespace']),
    apiGroup: stringOrEmpty(spec['apiGroup']),
    resource: stringOrEmpty(spec['resource']),
    nonResourcePath: stringOrEmpty(spec['nonResourcePath']),
  };
}

/**
 * In the oldest version a missing subject, namespace or resource matches everything. With neither namespace nor
 * resource, the policy matches every path too.
 */
function legacyPolicy(object: JsonObject): AbacPolicy {
  checkFields(object, LEGACY_FIELDS, `${KIND}.`);
  const user = stringOrEmpty(object['user']);
  const group = stringOrEmpty(object['group']);
  const namespace = stringOrEmpty(object['namespace']);
  const resource = stringOrEmpty(object['resource']);
  return {
    ...(user === '' && group === '' ? { user, group: AUTHENTICATED_GROUP } : subject(user, group)),
    readonly: object['readonly'] === true,
    namespace: namespace === '' ? ANY : namespace,
    apiGroup: ANY,
    resource: resource === '' ? ANY : resource,
    nonResourcePath: namespace === '' && resource === '' ? ANY : '',
  };
}

/** In both versions `*` means every authenticated user. */
function subject(user: string, group: string): Pick<AbacPolicy, 'user' | 'group'> {
  return user === ANY || group === ANY ? { user: '', group: AUTHENTICATED_GROUP } : { user, group };
}
