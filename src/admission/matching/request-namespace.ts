import { errors, type ApiError, type StoredObject } from '../../foundation/index.js';
import type { LabelSelector } from '../../machinery/index.js';
import type { AdmissionAttributes } from '../../registry/index.js';
import type { NamespaceLookup } from '../namespace-lifecycle.js';

const NAMESPACES = { group: '', resource: 'namespaces' };

const concernsNamespace = ({ info }: AdmissionAttributes): boolean =>
  info.resource === NAMESPACES.resource && info.group === NAMESPACES.group;

/** Returns the namespace of a request. A request for a namespace is in that namespace, as in Kubernetes. */
export const namespaceOf = (attributes: AdmissionAttributes): string =>
  concernsNamespace(attributes) ? attributes.name : attributes.namespace;

/** The namespace of one request. It is read at most once, and only when something depends on it. */
export class RequestNamespace {
  readonly #attributes: AdmissionAttributes;
  readonly #lookup: NamespaceLookup;
  #found: Promise<StoredObject | undefined> | undefined;

  constructor(attributes: AdmissionAttributes, lookup: NamespaceLookup) {
    this.#attributes = attributes;
    this.#lookup = lookup;
  }

  /**
   * Returns the namespace of a namespaced object; undefined for other objects.
   *
   * @throws ApiError 404 when it does not exist
   */
  async ofObject(): Promise<StoredObject | undefined> {
    const { namespace } = this.#attributes;
    if (namespace === '') return undefined;
    const found = await this.#read(namespace);
    if (found === undefined) throw notFound(namespace);
    return found;
  }

  /**
   * Returns whether a selector of namespaces matches the request. Cluster-scoped objects other than namespaces match
   * every selector.
   *
   * @throws ApiError 404 when the namespace does not exist
   */
  matches(selector: LabelSelector): boolean | Promise<boolean> {
    if (selector.empty) return true;
    const attributes = this.#attributes;
    const namespace = namespaceOf(attributes);
    if (namespace === '' && !concernsNamespace(attributes)) return true;
    const { object, subresource } = attributes;
    // A namespace that is being written is not stored yet.
    if (concernsNamespace(attributes) && subresource === '' && object !== undefined)
      return selector.matches(object.metadata.labels ?? {});
    return this.#read(namespace).then((found) => {
      if (found === undefined) throw notFound(namespace);
      return selector.matches(found.metadata.labels ?? {});
    });
  }

  #read(name: string): Promise<StoredObject | undefined> {
    return (this.#found ??= this.#lookup(name));
  }
}

const notFound = (name: string): ApiError => errors.notFound(NAMESPACES, name);
