/**
 * Conversion between the versions of a kind of which one, the hub, is stored. The kinds must have been prepared.
 *
 * @module
 */
import type { ApiObject, Dialect, StoredObject } from '../../foundation/index.js';
import type { ResourceInfo } from '../definition/resource-info.js';
import { handed } from '../handed/handed.js';

/** Returns an object of a kind in the version of the hub; the object itself when it has that version. */
export function toHub(object: ApiObject, { definition, hub, isOwners }: ResourceInfo, dialect: Dialect): ApiObject {
  const { conversion } = definition;
  if (conversion === undefined) return object;
  const {
    kind: _kind,
    apiVersion: _version,
    ...fields
  } = conversion.toHub(isOwners ? handed(object) : object, dialect);
  return { kind: hub.kind, apiVersion: hub.apiVersion, ...fields };
}

/** Returns an object of the hub in the version of a kind; the object itself when it has that version. */
export function fromHub(object: StoredObject, info: ResourceInfo, dialect: Dialect): StoredObject {
  const { conversion } = info.definition;
  if (conversion === undefined) return object;
  const { kind, apiVersion, isOwners } = info;
  return { ...conversion.fromHub(isOwners ? handed(object) : object, dialect), kind, apiVersion };
}
