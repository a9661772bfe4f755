/**
 * The objects of a request as objects of another version: a policy or webhook that matches a version sees the objects in
 * it, whichever version the client used.
 *
 * @module
 */
import {
  apiVersionOf,
  wrapError,
  type ApiObject,
  type Dialect,
  type JsonObject,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';
import { fromHub, toHub, type AdmissionAttributes, type ResourceInfo } from '../../registry/index.js';
import { isOperationRoute, viewOfRoute, type EquivalentResource } from './equivalents.js';

/** The objects of a request in one version. */
export interface VersionedObjects {
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
}

/** Converts the objects of one request. Each version is made once. */
export class RequestVersions {
  readonly #attributes: AdmissionAttributes;
  readonly #dialect: Dialect;
  /** The objects by the resource that is matched. */
  readonly #available = new Map<ResourceInfo, VersionedObjects>();
  readonly #converting = new Map<ResourceInfo, Promise<VersionedObjects>>();

  constructor(attributes: AdmissionAttributes, dialect: Dialect) {
    this.#attributes = attributes;
    this.#dialect = dialect;
  }

  /** Returns the objects as a policy sees them that matches a resource; undefined when they must be converted first. */
  available(matched: EquivalentResource): VersionedObjects | undefined {
    const known = this.#available.get(matched.info);
    if (known !== undefined) return known;
    const { object, oldObject, info, operation, subresource } = this.#attributes;
    if (matched.info.definition !== info.definition && !isOperationRoute(matched.info, subresource)) return undefined;
    // Admission objects are plain data.
    const given = object as JsonObject | undefined;
    const made = this.#shown({ object: operation === 'CONNECT' ? withoutMetadata(given) : given, oldObject }, matched);
    this.#available.set(matched.info, made);
    return made;
  }

  /**
   * Returns the objects as a policy sees them that matches a resource.
   *
   * @throws Error when they cannot be converted
   */
  as(matched: EquivalentResource): VersionedObjects | Promise<VersionedObjects> {
    const available = this.available(matched);
    if (available !== undefined) return available;
    let converting = this.#converting.get(matched.info);
    if (converting === undefined) {
      converting = this.#convert(matched.info).then((objects) => this.#shown(objects, matched));
      this.#converting.set(matched.info, converting);
    }
    return converting;
  }

  /** Returns the views of the objects for a subresource that shows them as another kind, such as `scale`. */
  #shown(objects: VersionedObjects, { info, kind }: EquivalentResource): VersionedObjects {
    const served = viewOfRoute(info, this.#attributes.subresource);
    if (served === undefined) return objects;
    const show = (shown: JsonObject | undefined): JsonObject | undefined =>
      shown && {
        kind: kind.kind,
        apiVersion: apiVersionOf(kind.group, kind.version),
        ...(served.view.show(shown as StoredObject, false) as JsonObject),
      };
    return { object: show(objects.object), oldObject: show(objects.oldObject) };
  }

  async #convert(to: ResourceInfo): Promise<VersionedObjects> {
    const { object, oldObject } = this.#attributes;
    const convert = async (value: JsonObject | undefined): Promise<JsonObject | undefined> =>
      value && (await converted(value, this.#attributes.info, to, this.#dialect, this.#attributes.context.work));
    try {
      await to.definition.prepare?.();
      return { object: await convert(object as JsonObject | undefined), oldObject: await convert(oldObject) };
    } catch (error) {
      throw wrapError('failed to convert object version', error);
    }
  }
}

/** The options of a connection have no metadata. */
function withoutMetadata(options: JsonObject | undefined): JsonObject | undefined {
  if (options === undefined) return undefined;
  const { metadata: _metadata, ...rest } = options;
  return rest;
}

/** Converts an object to another version of its kind. @throws Error when it cannot be converted */
export async function converted(
  object: JsonObject,
  from: ResourceInfo,
  to: ResourceInfo,
  dialect: Dialect,
  work?: Work,
): Promise<JsonObject> {
  const { storedVersions } = from.definition;
  if (storedVersions !== undefined) return (await storedVersions.convert(object, to.apiVersion, work)).object;
  return fromHub(toHub(object as ApiObject, from, dialect) as StoredObject, to, dialect);
}
