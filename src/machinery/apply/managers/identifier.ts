import type { ManagerOperation, ManagerRecord } from '../merge/managers.js';

/**
 * Returns the text that identifies a manager of an object and breaks ties in sorting. The version is not part of an
 * applier's identifier, so an applier that moves to another version keeps its record.
 */
export function managerIdentifier(
  record: Pick<ManagerRecord, 'manager' | 'apiVersion' | 'subresource'> & { readonly operation: ManagerOperation },
): string {
  const { manager, operation, apiVersion, subresource } = record;
  const name = manager === '' ? '' : `"manager":${quoted(manager)},`;
  const version = operation === 'Apply' ? '' : `,"apiVersion":${quoted(apiVersion)}`;
  return `{${name}"operation":"${operation}"${version}${subresource === '' ? '' : `,"subresource":${quoted(subresource)}`}}`;
}

const NEEDS_NO_ESCAPE = /^[\w ./:-]*$/;

const quoted = (text: string): string => (NEEDS_NO_ESCAPE.test(text) ? `"${text}"` : JSON.stringify(text));
