/**
 * Checks the shape of stored objects. Objects written through the API are valid. Objects from another program or a
 * damaged disk may not be, and must then be ignored.
 *
 * @module
 */
import { isArray, isJsonObject, type JsonValue } from '../../../foundation/index.js';
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

/** True for a valid Role or ClusterRole. */
export function isRoleObject(object: object): object is RoleObject {
  const { rules } = object as { readonly rules?: JsonValue | undefined };
  return hasMetadata(object) && (isAbsent(rules) || (isArray(rules) && rules.every(isRule)));
}

/** True for a valid RoleBinding or ClusterRoleBinding. */
export function isBindingObject(object: object): object is BindingObject {
  const { roleRef, subjects } = object as {
    readonly roleRef?: JsonValue | undefined;
    readonly subjects?: JsonValue | undefined;
  };
  if (!hasMetadata(object) || !isJsonObject(roleRef) || !isText(roleRef['kind']) || !isText(roleRef['name']))
    return false;
  return subjects === undefined || (isArray(subjects) && subjects.every(isSubject));
}
