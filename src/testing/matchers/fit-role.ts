/**
 * Compares the access that a program needed with a role.
 *
 * @module
 */
import { isJsonObject, type JsonValue } from '../../foundation/index.js';
import { readDocuments } from '../../kinds/index.js';
import { breakDown, coveringRules, leastRules, type AccessRecording, type PolicyRule } from '../../security/index.js';

/** The single permissions that a role lacks, and those that it has and nobody needed. */
export interface RoleFit {
  readonly missing: readonly string[];
  readonly superfluous: readonly string[];
}

/** Maximum number of permissions that are named. */
const MAX_NAMED = 50;

/**
 * Compares a recording with the rules of a role. A permission is superfluous when no recorded request needed it. A `*`
 * always is, because it allows more than any request needs.
 *
 * @throws Error when the recording is incomplete
 */
export function fitOf(record: AccessRecording, rules: readonly PolicyRule[]): RoleFit {
  if (!record.complete) throw new Error('the recording is incomplete: raise maxRequests of test.recordAccess');
  const needed: PolicyRule[] = leastRules(record.requests);
  const missing = coveringRules(rules, needed).uncovered;
  const unneeded = rules.flatMap((rule) => [...breakDown(rule)].filter((permission) => !isNeeded(permission, needed)));
  return { missing: missing.map(permissionText), superfluous: unneeded.map(permissionText) };
}

/**
 * Returns whether requests need a permission. One for every name is needed when a request for any name is: a role need
 * not name objects.
 */
function isNeeded(permission: PolicyRule, needed: readonly PolicyRule[]): boolean {
  const forEveryName = (permission.resourceNames?.length ?? 0) === 0;
  const relevant = forEveryName ? needed.map(({ resourceNames: _names, ...rule }) => rule) : needed;
  return coveringRules(relevant, [permission]).covered;
}

/** Returns a single permission as text: `update configmaps "visits"`. */
function permissionText({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): string {
  const [verb = ''] = verbs;
  const [path] = nonResourceURLs;
  if (path !== undefined) return `${verb} ${path}`;
  const [group = ''] = apiGroups;
  const [resource = ''] = resources;
  const [name] = resourceNames;
  const slash = resource.indexOf('/');
  const plural = slash < 0 ? resource : resource.slice(0, slash);
  const qualified = group === '' ? plural : `${plural}.${group}`;
  return `${verb} ${qualified}${slash < 0 ? '' : resource.slice(slash)}${name === undefined ? '' : ` "${name}"`}`;
}

/** Returns the text of a fit; empty for a role that fits. */
export function fitText({ missing, superfluous }: RoleFit): string {
  const list = (title: string, permissions: readonly string[]): string[] =>
    permissions.length === 0
      ? []
      : [
          title,
          ...permissions.slice(0, MAX_NAMED).map((permission) => `  ${permission}`),
          ...(permissions.length > MAX_NAMED ? [`  … and ${permissions.length - MAX_NAMED} more`] : []),
        ];
  return [
    ...list('the role lacks, although it was needed:', missing),
    ...list('the role allows, although nobody needed it:', superfluous),
  ].join('\n');
}

/**
 * Reads the rules of a role: an object, or a text in YAML or JSON with one or more roles, whose rules are added.
 *
 * @throws TypeError for a source without a role
 */
export async function rulesOf(source: unknown): Promise<readonly PolicyRule[]> {
  if (typeof source !== 'string' && (typeof source !== 'object' || source === null))
    throw new TypeError('toFitRole takes a Role or ClusterRole: an object, a string in YAML, or the path of a file');
  const documents = await readDocuments(source);
  const roles = documents.filter(({ value }) => value['kind'] === 'Role' || value['kind'] === 'ClusterRole');
  if (roles.length === 0) throw new TypeError('toFitRole: there is no Role or ClusterRole in the given source');
  return roles.flatMap(({ value }) => (isList(value['rules']) ? value['rules'].map(ruleOf) : []));
}

function ruleOf(value: JsonValue): PolicyRule {
  const rule = isJsonObject(value) ? value : {};
  const texts = (member: JsonValue | undefined): string[] =>
    isList(member) ? member.filter((text) => typeof text === 'string') : [];
  return {
    verbs: texts(rule['verbs']),
    apiGroups: texts(rule['apiGroups']),
    resources: texts(rule['resources']),
    resourceNames: texts(rule['resourceNames']),
    nonResourceURLs: texts(rule['nonResourceURLs']),
  };
}

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);
