/**
 * The objects of a request as objects of another version: a policy or webhook that matches a version sees the objects in
 * it, whichever version the client used.
 *
 * @module
 */
import { wrapError } from '../../meta/error-message.js';
import type { JsonObject } from '../../meta/json.js';
import type { ApiObject, StoredObject } from '../../meta/object.js';
import type { Dialect } from '../../names/dialect.js';
import type { AdmissionAttributes } from '../../registry/admission.js';
import type { ResourceInfo } from '../../registry/resource-info.js';
import type { EquivalentResource } from './equivalents.js';

/** The objects of a request in one version. */
export interface VersionedObjects {
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
}

/** Converts the objects of one request. Each version is made once. */
export class RequestVersions {
  readonly #attributes: AdmissionAttributes;
  readonly #dialect: Dialect;
  readonly #known = new Map<ResourceInfo, VersionedObjects | Promise<VersionedObjects>>();

  constructor(attributes: AdmissionAttributes, dialect: Dialect) {
    this.#attributes = attributes;
    this.#dialect = dialect;
  }

  /**
   * Returns the objects as a policy sees them that matches a resource.
   *
   * @throws Error when they cannot be converted
   */
  as(matched: EquivalentResource): VersionedObjects | Promise<VersionedObjects> {
    let objects = this.#known.get(matched.info);
    if (objects === undefined) this.#known.set(matched.info, (objects = this.#make(matched)));
    return objects;
  }

  #make(matched: EquivalentResource): VersionedObjects | Promise<VersionedObjects> {
    const { object, oldObject, info, subresource } = this.#attributes;
    // Admission objects are plain data.
    const objects = { object: object as JsonObject | undefined, oldObject };
    const served = matched.info.subresources.get(subresource);
    const isOperation = served !== undefined && 'responseKind' in served && !('view' in served);
    // The object of an operation has a kind of its own, which all versions of the resource share.
    if (isOperation) return objects;
    const converted = matched.info.definition === info.definition ? objects : this.#convert(objects, matched.info);
    if (served === undefined || !('view' in served)) return converted;
    const show = (shown: JsonObject | undefined): JsonObject | undefined =>
      shown && {
        kind: matched.kind.kind,
        apiVersion: matched.kind.apiVersion,
        ...(served.view.show(shown as StoredObject, false) as JsonObject),
      };
    const viewed = ({ object: shown, oldObject: oldShown }: VersionedObjects): VersionedObjects => ({
      object: show(shown),
      oldObject: show(oldShown),
    });
    return converted instanceof Promise ? converted.then(viewed) : viewed(converted);
  }

  async #convert({ object, oldObject }: VersionedObjects, to: ResourceInfo): Promise<VersionedObjects> {
    const convert = async (value: JsonObject | undefined): Promise<JsonObject | undefined> =>
      value && (await converted(value, this.#attributes.info, to, this.#dialect));
    try {
      await to.definition.prepare?.();
      return { object: await convert(object), oldObject: await convert(oldObject) };
    } catch (error) {
      throw wrapError('failed to convert object version', error);
    }
  }
}

async function converted(
  object: JsonObject,
  from: ResourceInfo,
  to: ResourceInfo,
  dialect: Dialect,
): Promise<JsonObject> {
  const { storedVersions } = from.definition;
  if (storedVersions !== undefined) return (await storedVersions.convert(object, to.apiVersion)).object;
  const { conversion: outOf } = from.definition;
  const { conversion: into } = to.definition;
  const given = object as ApiObject;
  const hub = outOf === undefined ? given : { kind: to.kind, apiVersion: '', ...outOf.toHub(given, dialect) };
  const made = into === undefined ? hub : into.fromHub(hub, dialect);
  return { ...(made as JsonObject), kind: to.kind, apiVersion: to.apiVersion };
}
