/**
 * Reads an audit policy from a value of YAML or JSON.
 *
 * @module
 */
import {
  goQuote,
  groupName,
  isJsonObject,
  jsonText,
  systemGroup,
  type Dialect,
  type JsonValue,
} from '../../../foundation/index.js';
import {
  list,
  readAs,
  requiredText,
  structNode,
  text,
  unknownFieldText,
  type StructuralSchema,
} from '../../../machinery/index.js';
import type { UncheckedAuditPolicy } from './types.js';

const KIND = 'Policy';

/** A policy that was read, with its unknown fields. */
export interface ReadAuditPolicy {
  readonly policy: UncheckedAuditPolicy;
  /** One text for each unknown field: `unknown field "rules[0].foo"`. */
  readonly unknownFields: readonly string[];
}

/** Returns the apiVersion of policies and events. */
export const auditApiVersion = (dialect: Dialect): string => `${groupName(systemGroup('audit'), dialect)}/v1`;

/**
 * Reads a policy of `audit.<suffix>/v1`. The caller parses the YAML, and decides about unknown fields.
 *
 * @returns the policy, not validated
 * @throws Error for a wrong kind or version, or a field of a wrong type
 */
export function parseAuditPolicy(value: JsonValue, dialect: Dialect): ReadAuditPolicy {
  if (!isJsonObject(value)) throw new Error('failed decoding: the audit policy must be an object');
  const { apiVersion = '', kind = '' } = value;
  if (kind === '') throw new Error("failed decoding: Object 'Kind' is missing in the audit policy");
  if (kind !== KIND || apiVersion !== auditApiVersion(dialect))
    throw new Error(
      `failed decoding: no kind ${shown(kind)} is registered for version ${shown(apiVersion)}: expected ${KIND} of ${auditApiVersion(dialect)}`,
    );
  const { object, unknownFields } = readAs<UncheckedAuditPolicy>(value, policySchema, { origin: 'builtin' });
  return { policy: object, unknownFields: unknownFields.map(unknownFieldText) };
}

const shown = (value: JsonValue): string => (typeof value === 'string' ? goQuote(value) : jsonText(value));

const texts = list(requiredText);
const flag: StructuralSchema = Object.freeze({ type: 'boolean', presence: 'keep' });

const rule = structNode('PolicyRule', {
  level: text,
  users: texts,
  userGroups: texts,
  verbs: texts,
  resources: list(structNode('GroupResources', { group: text, resources: texts, resourceNames: texts })),
  namespaces: texts,
  nonResourceURLs: texts,
  omitStages: texts,
  omitManagedFields: flag,
});

const anything: StructuralSchema = Object.freeze({ type: 'any', presence: 'keep' });

const policySchema: StructuralSchema = structNode('Policy', {
  apiVersion: text,
  kind: text,
  metadata: anything,
  rules: list(rule, 'always'),
  omitStages: texts,
  omitManagedFields: flag,
});
