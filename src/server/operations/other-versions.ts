import {
  whenReady,
  type ApiObject,
  type Dialect,
  type JsonObject,
  type MaybeSteps,
  type StoredObject,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { filledSteps, type FieldManagerOptions } from '../../machinery/index.js';
import { fromHub, toHub, type ResourceInfo, type StoredVersions, type VersionedValue } from '../../registry/index.js';
import { resetFieldsOf } from './reset-fields.js';

/** The versions of a kind in which records of an object are written, besides that of the writer. */
export interface OtherVersions {
  /** The reset fields of all versions. */
  readonly resetFields: NonNullable<FieldManagerOptions['resetFields']>;
  /** Whether {@link convert} may return promises. */
  readonly asynchronous: boolean;
  /**
   * Converts an object that may lack any of its fields. Steps count as work of the writer.
   *
   * @returns undefined when the version is not served
   * @throws ApiError when the object cannot be converted
   */
  convert(
    object: JsonObject,
    apiVersion: string,
    work: Work,
  ): MaybeSteps<VersionedValue | undefined> | Promise<VersionedValue>;
}

/** Returns versions of a kind by their names; a promise while one is loaded. */
export type FindVersions = (apiVersions: readonly string[]) => OtherVersions | Promise<OtherVersions>;

/** Finds the versions of a custom kind, which may be stored in any of them. As in Kubernetes, others reset no fields. */
export function storedVersionsOf(info: ResourceInfo, versions: StoredVersions): FindVersions {
  const others: OtherVersions = {
    resetFields: resetFieldsOf([info]),
    asynchronous: versions.asynchronous,
    convert: (object, apiVersion) => versions.convert(object, apiVersion),
  };
  return () => others;
}

/**
 * Finds the served versions of a kind that is stored in one version, the hub. As in Kubernetes, the core group knows no
 * version of another group: records of `events` in one of both groups are dropped by a write through the other one.
 *
 * @param served returns the kind of an apiVersion that has the name of this kind
 */
export function siblingVersionsOf(
  info: ResourceInfo,
  served: (apiVersion: string) => ResourceInfo | undefined,
  dialect: Dialect,
): FindVersions {
  const siblingOf = (apiVersion: string): ResourceInfo | undefined => {
    const other = served(apiVersion);
    if (other?.hub.definition !== info.hub.definition) return undefined;
    return (other.group === '') === (info.group === '') ? other : undefined;
  };
  return (apiVersions) => {
    const siblings = new Map([[info.apiVersion, info]]);
    for (const apiVersion of apiVersions) {
      const sibling = siblingOf(apiVersion);
      if (sibling !== undefined) siblings.set(apiVersion, sibling);
    }
    const loading = [...siblings.values()].flatMap(({ definition }) => definition.prepare?.() ?? []);
    const ready = loading.length === 0 ? undefined : Promise.all(loading);
    return whenReady<unknown, OtherVersions>(ready, () => ({
      resetFields: resetFieldsOf([...siblings.values()]),
      asynchronous: false,
      convert(object, apiVersion, work) {
        // The object before a create has no version.
        const { apiVersion: written } = object;
        const from = (typeof written === 'string' ? siblings.get(written) : undefined) ?? info;
        const to = siblings.get(apiVersion);
        return to && convertedSteps(object, from, to, dialect, work);
      },
    }));
  };
}

function* convertedSteps(
  object: JsonObject,
  from: ResourceInfo,
  to: ResourceInfo,
  dialect: Dialect,
  work: Work,
): Steps<VersionedValue> {
  const { origin = 'user' } = from.definition;
  const filled = yield* filledSteps(object, from.schema, origin, work);
  const converted = fromHub(toHub(filled as ApiObject, from, dialect) as StoredObject, to, dialect);
  return { object: converted, schema: to.schema };
}
