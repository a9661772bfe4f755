/**
 * Whether something that is stored has the shape by which decisions read it. What is written through the API has; what another
 * program wrote, or a damaged disk left, may not, and must then count for nothing.
 *
 * @module
 */
import { isArray, isJsonObject, type JsonValue } from '../../meta/json.js';
import type { BindingObject, RoleObject } from './types.js';

const RULE_LISTS = ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const;

const isAbsent = (value: JsonValue | undefined): boolean => value === undefined || value === null;
const isText = (value: JsonValue | undefined): boolean => typeof value === 'string';
const isOptionalText = (value: JsonValue | undefined): boolean => value === undefined || isText(value);
const isTextList = (value: JsonValue | undefined): boolean =>
  value === undefined || (isArray(value) && value.every(isText));

function isRule(rule: JsonValue): boolean {
  return isJsonObject(rule) && rule['verbs'] !== undefined && RULE_LISTS.every((list) => isTextList(rule[list]));
}

function isSubject(subject: JsonValue): boolean {
  return (
    isJsonObject(subject) &&
    isText(subject['kind']) &&
    isText(subject['name']) &&
    isOptionalText(subject['apiGroup']) &&
    isOptionalText(subject['namespace'])
  );
}

function hasMetadata({ metadata }: { readonly metadata?: JsonValue | undefined }): boolean {
  return isJsonObject(metadata) && isOptionalText(metadata['name']) && isOptionalText(metadata['namespace']);
}

/** A Role or ClusterRole. */
export function isRoleObject(object: object): object is RoleObject {
  const { rules } = object as { readonly rules?: JsonValue };
  return hasMetadata(object) && (isAbsent(rules) || (isArray(rules) && rules.every(isRule)));
}

/** A RoleBinding or ClusterRoleBinding. */
export function isBindingObject(object: object): object is BindingObject {
  const { roleRef, subjects } = object as { readonly roleRef?: JsonValue; readonly subjects?: JsonValue };
  if (!hasMetadata(object) || !isJsonObject(roleRef) || !isText(roleRef['kind']) || !isText(roleRef['name']))
    return false;
  return subjects === undefined || (isArray(subjects) && subjects.every(isSubject));
}
