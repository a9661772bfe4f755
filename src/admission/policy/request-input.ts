import { definedOnly, type JsonObject, type StoredObject } from '../../foundation/index.js';
import {
  authorizerValue,
  fromJson,
  requestResourceValue,
  type CelValue,
  type DecideAuthorization,
} from '../../machinery/index.js';
import type { AdmissionAttributes } from '../../registry/index.js';
import { admissionRequest } from '../matching/admission-request.js';
import type { EquivalentResource } from '../matching/equivalents.js';
import { namespaceOf } from '../matching/request-namespace.js';
import type { VersionedObjects } from '../matching/versioned-objects.js';

/** The values of a request that a policy's expressions read. Those that few expressions read are made on first use. */
export class RequestInput {
  readonly object: CelValue;
  readonly oldObject: CelValue;
  readonly #attributes: AdmissionAttributes;
  readonly #matched: EquivalentResource;
  readonly #namespace: StoredObject | undefined;
  readonly #decide: DecideAuthorization;
  #request: CelValue | undefined;
  #namespaceObject: CelValue | undefined;

  /**
   * @param matched the resource that the policy matches, as whose kind `object` and `oldObject` are given
   * @param namespace the namespace of the request; undefined for cluster-scoped kinds, or when no expression reads it
   */
  constructor(
    attributes: AdmissionAttributes,
    matched: EquivalentResource,
    { object, oldObject }: VersionedObjects,
    namespace: StoredObject | undefined,
    decide: DecideAuthorization,
  ) {
    this.#attributes = attributes;
    this.#matched = matched;
    this.#namespace = namespace;
    this.#decide = decide;
    this.object = fromJson(object ?? null);
    this.oldObject = fromJson(oldObject ?? null);
  }

  /** Whether the namespace is known. */
  get hasNamespace(): boolean {
    return this.#namespace !== undefined;
  }

  /** The variable `request`. */
  get request(): CelValue {
    return (this.#request ??= fromJson(admissionRequest(this.#attributes, this.#matched)));
  }

  /** The variable `namespaceObject`. */
  get namespaceObject(): CelValue {
    return (this.#namespaceObject ??= fromJson(
      this.#namespace === undefined ? null : visibleNamespace(this.#namespace),
    ));
  }

  /** The variable `authorizer`. */
  get authorizer(): CelValue {
    return authorizerValue(this.#decide);
  }

  /** The variable `authorizer.requestResource`: the resource of the request, whatever the policy matches. */
  get requestResource(): CelValue {
    const { info, subresource, name } = this.#attributes;
    const { group, resource } = info;
    return requestResourceValue(this.#decide, {
      ...{ group, resource, subresource, name },
      namespace: namespaceOf(this.#attributes),
    });
  }
}

const VISIBLE_METADATA = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'finalizers',
] as const;

/** Returns the fields of a namespace that expressions can read. */
function visibleNamespace(namespace: StoredObject): JsonObject {
  const { metadata } = namespace;
  const spec = namespace['spec'] as JsonObject | undefined;
  const status = namespace['status'] as JsonObject | undefined;
  return {
    metadata: definedOnly(Object.fromEntries(VISIBLE_METADATA.map((field) => [field, metadata[field]]))),
    spec: definedOnly({ finalizers: spec?.['finalizers'] }),
    status: definedOnly({ phase: status?.['phase'] }),
  };
}
