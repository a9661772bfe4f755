import { fieldSet, type FieldSet } from '../../machinery/index.js';
import type { PartSubresource, ResetFields, ResourceInfo } from '../../registry/index.js';

/**
 * Returns the reset fields of versions of a kind, by subresource and apiVersion: the registry resets them to their old
 * values, so a writer neither owns them nor takes them from other managers. Defaults: the status on the main resource,
 * and everything else on the status subresource.
 */
export function resetFieldsOf(versions: readonly ResourceInfo[]): Record<string, Record<string, FieldSet>> {
  const all: Record<string, Record<string, FieldSet>> = {};
  for (const info of versions)
    for (const [subresource, fields] of ownResetFields(info))
      (all[subresource] ??= {})[info.apiVersion] = setOf(fields);
  return all;
}

function ownResetFields(info: ResourceInfo): readonly (readonly [subresource: string, ResetFields])[] {
  const main = info.strategy?.resetFields ?? (info.subresources.has('status') ? [['status']] : undefined);
  const parts = [...info.subresources].filter((entry): entry is [string, PartSubresource] => 'strategy' in entry[1]);
  const declared = parts.map(
    ([name, { strategy }]) =>
      [name, strategy.resetFields ?? (name === 'status' ? defaultOfStatus(info) : undefined)] as const,
  );
  return [['', main] as const, ...declared].flatMap(([name, fields]) =>
    fields === undefined ? [] : [[name, fields] as const],
  );
}

const setOf = (fields: ResetFields): FieldSet => fieldSet(...fields.map((path) => path.map((name) => `f:${name}`)));

function defaultOfStatus(info: ResourceInfo): ResetFields {
  if (info.definition.origin === 'builtin')
    return [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']];
  return [...(info.schema.properties?.keys() ?? [])].filter((field) => field !== 'status').map((field) => [field]);
}
