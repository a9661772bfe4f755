import { fieldSet, type FieldSet } from '../apply/index.js';
import type { PartSubresource } from '../registry/definition.js';
import type { ResourceInfo } from '../registry/resource-info.js';
import type { ResetFields } from '../registry/strategy.js';

/**
 * Fields that a writer neither owns nor takes from others, because the registry keeps them as they were, by subresource. What a
 * kind does not say is usual: the status on the main resource, and everything else on the status subresource.
 */
export function resetFieldsOf(info: ResourceInfo): Record<string, Record<string, FieldSet>> {
  const main = info.definition.strategy?.resetFields ?? (info.subresources.has('status') ? [['status']] : undefined);
  const parts = [...info.subresources].filter((entry): entry is [string, PartSubresource] => 'strategy' in entry[1]);
  const declared = parts.map(
    ([name, { strategy }]) =>
      [name, strategy.resetFields ?? (name === 'status' ? usualOfStatus(info) : undefined)] as const,
  );
  return Object.fromEntries(
    [['', main] as const, ...declared].flatMap(([name, fields]) =>
      fields === undefined ? [] : [[name, { [info.apiVersion]: setOf(fields) }]],
    ),
  );
}

const setOf = (fields: ResetFields): FieldSet => fieldSet(...fields.map((path) => path.map((name) => `f:${name}`)));

function usualOfStatus(info: ResourceInfo): ResetFields {
  if (info.definition.origin === 'builtin')
    return [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']];
  return [...(info.schema.properties?.keys() ?? [])].filter((field) => field !== 'status').map((field) => [field]);
}
