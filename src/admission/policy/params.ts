/**
 * The parameters of policies: objects of any served kind, which bindings choose by name or by labels.
 *
 * @module
 */
import {
  inSlices,
  kindText,
  messageOf,
  parseApiVersion,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';
import type { admissionregistrationV1 } from '../../kinds/index.js';
import { LabelSelector } from '../../machinery/index.js';
import type { Catalogue, ResourceDefinition, ResourceInfo, ResourceStore } from '../../registry/index.js';

type ParamKind = admissionregistrationV1.ParamKind;
type ParamRef = admissionregistrationV1.ParamRef;

/** The objects of a kind of parameters. */
export type ParamStore = Pick<ResourceStore, 'readable' | 'find' | 'list' | 'readFor'>;

/** Where parameters are found. */
export interface ParamCatalogue extends Pick<Catalogue, 'resources'> {
  /** @throws TypeError when the kind is not served */
  store(definition: ResourceDefinition): ParamStore;
}

/** Thrown when a policy or binding cannot be used: the failure policy then decides. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** Returns the kind of parameters; undefined when it is not served. */
export function findParamKind(
  catalogue: Pick<Catalogue, 'resources'>,
  { apiVersion = '', kind = '' }: ParamKind,
): ResourceInfo | undefined {
  return catalogue.resources.find(
    (info) => info.apiVersion === apiVersion && info.kind === kind && info.definition.virtual !== true,
  );
}

/** Formats a kind as Kubernetes prints it in errors: `/v1, Kind=ConfigMap`. */
export function paramKindText({ apiVersion = '', kind = '' }: ParamKind): string {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: apiVersion };
  return kindText({ group, version, kind });
}

/** A parameter, read when its turn comes: a selector may choose more than should be in memory at once. */
export type FoundParam = () => StoredObject | null | Promise<StoredObject>;

const NO_PARAM: readonly FoundParam[] = [() => null];

/** Reads the parameters of bindings. */
export class Params {
  readonly #catalogue: ParamCatalogue;
  readonly #work: Work;

  constructor(catalogue: ParamCatalogue, work: Work) {
    this.#catalogue = catalogue;
    this.#work = work;
  }

  /**
   * Returns the parameters that a binding chooses: one null when it chooses none, an empty list when there are no
   * parameters and the binding allows that.
   *
   * @param info the kind of the parameters; undefined when the policy has none
   * @param requestNamespace namespace of the request, where parameters are looked up by default
   * @throws ConfigurationError when the parameters cannot be looked up, or must exist but do not
   */
  of(
    info: ResourceInfo | undefined,
    reference: ParamRef | undefined,
    requestNamespace: string,
  ): readonly FoundParam[] | Promise<readonly FoundParam[]> {
    return info === undefined || reference === undefined ? NO_PARAM : this.#chosen(info, reference, requestNamespace);
  }

  async #chosen(info: ResourceInfo, reference: ParamRef, requestNamespace: string): Promise<readonly FoundParam[]> {
    const params = await this.#find(info, reference, namespaceOf(info, reference, requestNamespace));
    if (params.length === 0 && reference.parameterNotFoundAction === 'Deny')
      throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
    return params;
  }

  async #find(info: ResourceInfo, { name = '', selector }: ParamRef, namespace: string): Promise<FoundParam[]> {
    const work = this.#work;
    const store = this.#catalogue.store(info.definition);
    const loading = store.readable();
    if (loading !== undefined) await loading;
    if (name !== '') {
      const record = await store.find(namespace, name);
      return record === undefined ? [] : [() => store.readFor(work, record)];
    }
    const labelSelector = await selectorOf(selector, work);
    const { records } = await store.list(namespace, { labelSelector }, undefined, undefined, work);
    return records.map((record) => () => store.readFor(work, record));
  }
}

/** Returns the namespace of parameters; empty for cluster-scoped ones. */
function namespaceOf({ namespaced }: ResourceInfo, { namespace = '' }: ParamRef, requestNamespace: string): string {
  if (!namespaced) {
    if (namespace === '') return '';
    throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const found = namespace || requestNamespace;
  if (found !== '') return found;
  throw new ConfigurationError(
    'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  );
}

/** @throws ConfigurationError for an invalid selector */
async function selectorOf(selector: ParamRef['selector'], work: Work): Promise<LabelSelector> {
  try {
    return await inSlices(work, LabelSelector.fromObjectSteps(selector, work), 'admission');
  } catch (error) {
    // The time of the request may be over meanwhile.
    work.check?.();
    throw new ConfigurationError(messageOf(error), { cause: error });
  }
}
