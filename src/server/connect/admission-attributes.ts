import {
  apiVersionOf,
  type ApiObject,
  type GroupVersionKind,
  type JsonObject,
  type JsonValue,
} from '../../foundation/index.js';
import type { AdmissionAttributes, ConnectParameter, RequestContext, ResourceInfo } from '../../registry/index.js';
import { parseFlag } from '../operations/list-options.js';

/** Parameters that may be repeated: the options have a list of them. */
const LISTS: ReadonlySet<string> = new Set(['command', 'ports']);

/** A request that connects. */
export interface ConnectingRequest {
  /** The kind in the path. */
  readonly resource: ResourceInfo;
  readonly info: { readonly subresource: string; readonly namespace: string; readonly name: string };
  readonly query: URLSearchParams;
  /** The path after the subresource, with a leading slash. */
  readonly trailingPath: string;
  readonly context: RequestContext;
}

/**
 * Returns what admission sees of a request that connects: the options in its query as an object, such as
 * PodExecOptions. Undefined for a subresource without such options, which only reads (`log`).
 */
export function connectAttributes(request: ConnectingRequest): AdmissionAttributes | undefined {
  const { resource, info, query, context } = request;
  const { subresource, namespace, name } = info;
  const served = resource.subresources.get(subresource);
  if (served === undefined || !('connect' in served) || served.optionsKind === undefined) return undefined;
  const { parameters = {}, trailingPath } = served.connect;
  const path = trailingPath === true ? { path: request.trailingPath } : {};
  return {
    ...{ operation: 'CONNECT', info: resource, subresource, name, requestName: name },
    namespace: resource.namespaced ? namespace : '',
    object: optionsObject(served.optionsKind, { ...optionsOf(query, parameters), ...path }),
    ...{ oldObject: undefined, user: context.user, dryRun: false, context },
  };
}

/** Objects of options have no metadata; plugins may rely on one. */
const optionsObject = ({ group, version, kind }: GroupVersionKind, fields: JsonObject): ApiObject => ({
  ...{ kind, apiVersion: apiVersionOf(group, version), metadata: {} },
  ...fields,
});

/** Returns the options of a query. Empty ones are absent, as in Go's JSON. */
function optionsOf(query: URLSearchParams, parameters: Readonly<Record<string, ConnectParameter>>): JsonObject {
  const options: Record<string, JsonValue> = {};
  for (const [name, type] of Object.entries(parameters)) {
    const values = query.getAll(name).map((text) => valueOf(text, type));
    const value = LISTS.has(name) ? values : values[0];
    if (value !== undefined && value !== false && value !== '' && !(Array.isArray(value) && value.length === 0))
      options[name] = value;
  }
  return options;
}

function valueOf(text: string, type: ConnectParameter): JsonValue {
  if (type === 'bool') return parseFlag(text);
  return type === 'int' ? Number(text) : text;
}
