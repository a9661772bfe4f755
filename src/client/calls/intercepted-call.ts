/**
 * The calls of an in-process client as an interceptor sees them: as the HTTP requests that would mean the same.
 *
 * @module
 */
import { cloneJson, type JsonObject, type JsonValue, type UserInfo } from '../../foundation/index.js';
import type { ResourceInfo } from '../../registry/index.js';
import type { InterceptedRequest, RequestOrigin } from '../../server/index.js';

/** The facts about a call. */
export interface CallFacts {
  readonly verb: string;
  /** Empty for a call on a collection. */
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly subresource?: string | undefined;
  /** Media type of the body that a request would have. Default JSON. */
  readonly contentType?: string | undefined;
  /** The caller's value, which may change afterwards. */
  readonly body?: unknown;
  /** The parameters of the call. */
  readonly parameters?: object | undefined;
}

/** A call, with what its client adds. */
export interface MadeCall {
  readonly facts: CallFacts;
  readonly info: ResourceInfo;
  readonly user: UserInfo;
  /** Field manager of the client. */
  readonly userAgent: string;
  readonly via: RequestOrigin;
}

/** The request that a call stands for. Path and query are made when they are asked for: most calls need neither. */
export class CallRequest implements InterceptedRequest {
  readonly isResource = true;
  readonly via: RequestOrigin;
  readonly user: UserInfo;
  readonly userAgent: string;
  readonly verb: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly contentType: string;
  readonly #info: ResourceInfo;
  readonly #parameters: object;
  readonly #body: JsonValue | undefined;
  #path: string | undefined;
  #query: string | undefined;

  constructor({ facts, info, user, userAgent, via }: MadeCall) {
    const { verb, name = '', subresource = '', parameters = {} } = facts;
    this.via = via;
    this.user = user;
    this.userAgent = userAgent;
    this.verb = verb;
    this.name = name;
    this.subresource = subresource;
    // As in a path: the name of a namespace is also the namespace of the request.
    this.namespace = info.namespaced
      ? (facts.namespace ?? '')
      : info.resource === 'namespaces' && !isOnCollection(verb)
        ? name
        : '';
    this.#info = info;
    this.#parameters = { ...parameters };
    this.#body = copyOf(facts.body);
    this.contentType = this.#body === undefined ? '' : (facts.contentType ?? 'application/json');
  }

  get group(): string {
    return this.#info.group;
  }

  get version(): string {
    return this.#info.version;
  }

  get resource(): string {
    return this.#info.resource;
  }

  get path(): string {
    const { namespaced } = this.#info;
    const name = isOnCollection(this.verb) ? '' : this.name;
    return (this.#path ??= pathOf(this.#info, namespaced ? this.namespace : '', name, this.subresource));
  }

  get query(): string {
    return (this.#query ??= queryOf(this.verb, this.#parameters));
  }

  body(): Promise<JsonValue | undefined> {
    return Promise.resolve(this.#body);
  }
}

const isOnCollection = (verb: string): boolean => verb === 'list' || verb === 'watch';

function pathOf({ group, apiVersion, resource }: ResourceInfo, namespace: string, name: string, part: string): string {
  const segments = [
    group === '' ? 'api' : 'apis',
    apiVersion,
    ...(namespace === '' ? [] : ['namespaces', namespace]),
    resource,
    ...(name === '' ? [] : [name]),
    ...(part === '' ? [] : [part]),
  ];
  return `/${segments.join('/')}`;
}

/** Parameters of calls that are parameters of the query under the same name. */
const SAME_NAME = [
  'resourceVersion',
  'resourceVersionMatch',
  'labelSelector',
  'fieldSelector',
  'limit',
  'continue',
  'allowWatchBookmarks',
  'sendInitialEvents',
  'timeoutSeconds',
  'fieldManager',
  'fieldValidation',
  'force',
  'gracePeriodSeconds',
  'propagationPolicy',
];

function queryOf(verb: string, parameters: object): string {
  const query = new URLSearchParams(verb === 'watch' ? { watch: 'true' } : {});
  for (const name of SAME_NAME) {
    const value: unknown = Reflect.get(parameters, name);
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      query.set(name, String(value));
  }
  if (Reflect.get(parameters, 'dryRun') === true) query.set('dryRun', 'All');
  return query.toString();
}

/** Returns a copy of a value of the caller; undefined for one that is not JSON. */
function copyOf(body: unknown): JsonValue | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  try {
    return cloneJson(body as JsonObject);
  } catch {
    return undefined;
  }
}
