import { FieldSelector, LabelSelector } from '../../machinery/index.js';
import { checkFieldSelector, type ListOptions, type ResourceInfo } from '../../registry/index.js';
import type { ListParameters } from '../client.js';

/** Returns the name that a list or watch is restricted to and authorized for; empty without one. */
export function selectedName({ fieldSelector }: ListParameters): string {
  return fieldSelector === undefined ? '' : (FieldSelector.parse(fieldSelector).exact('metadata.name') ?? '');
}

/** Returns the options of a list as the registry takes them. @throws ApiError 400 for an unknown field */
export function listOptions(info: ResourceInfo, parameters: ListParameters): ListOptions {
  const { labelSelector, fieldSelector, limit, resourceVersion, resourceVersionMatch, onUnreadable } = parameters;
  const fields = fieldSelector === undefined ? undefined : FieldSelector.parse(fieldSelector);
  if (fields !== undefined) checkFieldSelector(info, fields);
  return {
    labelSelector: labelSelector === undefined ? undefined : LabelSelector.parse(labelSelector),
    fieldSelector: fields,
    limit,
    continue: parameters.continue,
    resourceVersion,
    resourceVersionMatch,
    onUnreadable,
  };
}
