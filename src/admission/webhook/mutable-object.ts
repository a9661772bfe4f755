/**
 * The object of a request while mutating webhooks change it. Each webhook sees it in the version that its rule matches.
 *
 * @module
 */
import {
  ApiError,
  apiVersionOf,
  equalInSlices,
  errors,
  goQuote,
  isArray,
  isJsonObject,
  messageOf,
  runSteps,
  UNBOUNDED_WORK,
  type ApiObject,
  type DecodeAnswer,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';
import {
  cloneInSlices,
  decodeJsonPatchSteps,
  jsonPatchSteps,
  PatchError,
  readInSlices,
  type JsonPatchOperation,
} from '../../machinery/index.js';
import { hookResult, type AdmissionAttributes, type NamedObject, type ServedView } from '../../registry/index.js';
import { isOperationRoute, viewOfRoute, type EquivalentResource } from '../matching/equivalents.js';
import { converted, RequestVersions, type VersionedObjects } from '../matching/versioned-objects.js';
import { CallFailure } from './call.js';
import type { Hook } from './hook.js';
import { JSON_PATCH, type Verdict } from './review.js';
import { ReviewTexts } from './sent-review.js';

/** The effect of the patch of a webhook. */
export interface Patched {
  readonly isChanged: boolean;
  /** Its operations, as they were written; empty without a patch. */
  readonly patch: readonly JsonValue[];
}

/** A patched object that is not written into the object of the request yet. */
interface Pending {
  readonly matched: EquivalentResource;
  readonly object: JsonObject;
}

/** The objects of one request, before one webhook after the other. */
export class MutableObject {
  readonly #attributes: AdmissionAttributes;
  #versions: RequestVersions;
  #pending: Pending | undefined;
  readonly #decode: DecodeAnswer;
  readonly #work: Work;
  /** The texts of the objects in reviews. */
  texts = new ReviewTexts();

  /** @param decode decodes patches */
  constructor(attributes: AdmissionAttributes, decode: DecodeAnswer) {
    this.#attributes = attributes;
    this.#decode = decode;
    this.#work = attributes.context.work ?? UNBOUNDED_WORK;
    this.#versions = new RequestVersions(attributes, attributes.context.dialect);
  }

  /**
   * Returns the objects as a webhook sees them that matches a resource.
   *
   * @throws Error when they cannot be converted
   */
  async as(matched: EquivalentResource): Promise<VersionedObjects> {
    const pending = this.#pending;
    if (pending !== undefined && pending.matched.info === matched.info)
      return { ...(await this.#versions.as(matched)), object: pending.object };
    await this.commit();
    return this.#versions.as(matched);
  }

  /**
   * Applies the patch of a webhook.
   *
   * @param seen the object that the webhook saw
   * @throws ApiError 500 for a patch that cannot be applied; CallFailure for one of an unknown type
   */
  async patch(
    hook: Hook,
    { patch: bytes, patchType }: Verdict,
    matched: EquivalentResource,
    seen: VersionedObjects,
  ): Promise<Patched> {
    const { patch, operations } = bytes.length === 0 ? NO_PATCH : await this.#patchIn(bytes);
    if (operations.length === 0) return { isChanged: false, patch };
    if (seen.object === undefined)
      throw errors.internal(
        `admission webhook ${goQuote(hook.name)} attempted to modify the object, which is not supported for this operation`,
      );
    if (patchType !== JSON_PATCH) throw new CallFailure(hook, `unsupported patch type ${goQuote(patchType)}`);
    const { object: before } = seen;
    const result = await this.#patched(before, operations);
    const object = await this.#decoded(result, matched);
    this.#pending = { matched, object };
    return { isChanged: !(await equalInSlices(this.#work, before, object)), patch };
  }

  /** Reads a patch. @throws ApiError 500 */
  async #patchIn(bytes: Uint8Array): Promise<ReadPatch> {
    const value = await this.#decode(bytes, this.#work).catch((error: unknown) => {
      if (error instanceof ApiError) throw error;
      throw errors.internal('the patch of the webhook is not JSON', { cause: error });
    });
    try {
      const { operations } = await runSteps(this.#work, decodeJsonPatchSteps(this.#work, value), 'admission');
      return { patch: isArray(value) ? value : [], operations };
    } catch (error) {
      throw refused(error);
    }
  }

  async #patched(object: JsonObject, operations: ReadPatch['operations']): Promise<JsonObject> {
    let result;
    try {
      result = await runSteps(this.#work, jsonPatchSteps(this.#work, object, operations), 'admission');
    } catch (error) {
      throw refused(error);
    }
    if (isJsonObject(result)) return result;
    throw errors.internal('the patched object is not an object');
  }

  /** Writes the patched object into the object of the request. @throws Error when it cannot be converted */
  async commit(): Promise<void> {
    const pending = this.#pending;
    if (pending === undefined) return;
    this.#pending = undefined;
    const { object } = this.#attributes;
    if (object === undefined) return;
    replaceMembers(object, await this.#restored(pending));
    this.texts = new ReviewTexts();
    this.#versions = new RequestVersions(this.#attributes, this.#attributes.context.dialect);
  }

  /** Returns the object of the request with a patched one in it: in the version of the request, a view in its object. */
  async #restored({ matched, object }: Pending): Promise<JsonObject> {
    const { info, subresource } = this.#attributes;
    const view = viewOfRoute(matched.info, subresource);
    const whole = view === undefined ? object : await this.#withView(view, matched, object);
    if (matched.info.definition === info.definition || isOperationRoute(info, subresource)) return whole;
    return converted(whole, matched.info, info, this.#attributes.context.dialect, this.#attributes.context.work);
  }

  async #withView({ view }: ServedView, { info }: EquivalentResource, shown: JsonObject): Promise<JsonObject> {
    const { info: requested, object, context } = this.#attributes;
    const current = object as JsonObject | undefined;
    const whole =
      info.definition === requested.definition
        ? await cloneInSlices(current ?? {}, context.work)
        : await converted(current ?? {}, requested, info, context.dialect, context.work);
    view.write(whole as StoredObject, shown as NamedObject);
    return whole;
  }

  /** Reads a patched object by its schema, with its defaults. @throws ApiError 500 for a value of a wrong type */
  async #decoded(value: JsonObject, { info, kind }: EquivalentResource): Promise<JsonObject> {
    const { context, subresource } = this.#attributes;
    const served = subresource === '' ? undefined : info.subresources.get(subresource);
    if (served !== undefined && 'connect' in served) return value;
    const { definition, schema } = served !== undefined && 'responseKind' in served ? served.responseKind : info;
    const type = { kind: kind.kind, apiVersion: apiVersionOf(kind.group, kind.version) };
    if (value['kind'] !== type.kind || value['apiVersion'] !== type.apiVersion)
      throw errors.internal(`the patched object is not a ${type.kind} of ${type.apiVersion}`);
    try {
      const { object } = await readInSlices(value, schema, { origin: definition.origin ?? 'user' }, this.#work);
      const read = { ...type, metadata: {}, ...object, ...type } as ApiObject;
      await hookResult(definition.strategy?.defaults?.(read, context), context);
      return read as JsonObject;
    } catch (error) {
      throw errors.internal(messageOf(error));
    }
  }
}

/** A patch, as it was written and as it is applied. */
interface ReadPatch {
  readonly patch: readonly JsonValue[];
  readonly operations: readonly JsonPatchOperation[];
}

const NO_PATCH: ReadPatch = { patch: [], operations: [] };

/** Returns the error for a patch that is invalid or cannot be applied. An error that ends the request stays as it is. */
const refused = (error: unknown): unknown =>
  error instanceof ApiError && !(error instanceof PatchError)
    ? error
    : errors.internal(error instanceof PatchError ? error.detail : messageOf(error));

/** Gives an object the members of another one. */
function replaceMembers(object: ApiObject, by: JsonObject): void {
  const members = object as JsonObject as MutableJsonObject;
  for (const key of Object.keys(members)) delete members[key];
  Object.assign(members, by);
}
