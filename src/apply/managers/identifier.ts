import type { ManagerOperation, ManagerRecord } from '../merge/managers.js';

/**
 * The text that tells managers of an object apart, and that breaks ties when they are sorted. Appliers are told apart by
 * name and subresource alone, so that an applier that moves to another version keeps its record.
 */
export function managerIdentifier(
  record: Pick<ManagerRecord, 'manager' | 'apiVersion' | 'subresource'> & { readonly operation: ManagerOperation },
): string {
  const { manager, operation, apiVersion, subresource } = record;
  const name = manager === '' ? '' : `"manager":${JSON.stringify(manager)},`;
  const version = operation === 'Apply' ? '' : `,"apiVersion":${JSON.stringify(apiVersion)}`;
  return `{${name}"operation":"${operation}"${version}${subresource === '' ? '' : `,"subresource":${JSON.stringify(subresource)}`}}`;
}
