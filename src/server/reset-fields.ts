import { fieldSet, type FieldSet } from '../apply/index.js';
import type { ResourceInfo } from '../registry/resource-info.js';

/**
 * Fields that a writer neither owns nor takes from others, because the registry keeps them as they were: the status on
 * the main resource, and everything else on the status subresource.
 */
export function resetFieldsOf(info: ResourceInfo): Record<string, Record<string, FieldSet>> {
  if (!info.subresources.has('status')) return {};
  const main = fieldSet(['f:status']);
  const status = info.definition.origin === 'builtin' ? fieldSet(['f:spec'], ['f:metadata', 'f:deletionTimestamp'], ['f:metadata', 'f:ownerReferences']) : userStatusReset(info);
  return { '': { [info.apiVersion]: main }, status: { [info.apiVersion]: status } };
}

function userStatusReset(info: ResourceInfo): FieldSet {
  const fields = [...(info.schema.properties?.keys() ?? [])].filter((field) => field !== 'status');
  return fieldSet(...fields.map((field) => [`f:${field}`]));
}
