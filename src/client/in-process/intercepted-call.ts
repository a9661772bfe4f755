/**
 * The calls of an in-process client as an interceptor sees them: as the HTTP requests that would mean the same.
 *
 * @module
 */
import { cloneJson, type JsonObject, type JsonValue, type UserInfo } from '../../foundation/index.js';
import type { ResourceInfo } from '../../registry/index.js';
import type { InterceptedRequest, RequestOrigin } from '../../server/index.js';
import type { Call } from '../backend.js';
import { pathOf, queryOf } from '../request-path.js';

/** A call, with what its client adds. */
export interface MadeCall {
  readonly call: Call;
  /** Name that the call is restricted to; empty without one. */
  readonly name: string;
  readonly subresource: string;
  readonly info: ResourceInfo;
  readonly user: UserInfo;
  /** Field manager of the client. */
  readonly userAgent: string;
  readonly via: RequestOrigin;
}

/** Parameters that a request has in its body, and that are shown in the query of a call. */
const OF_DELETION = ['gracePeriodSeconds', 'propagationPolicy'];

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

  constructor({ call, name, subresource, info, user, userAgent, via }: MadeCall) {
    const { verb, namespace, body, patchType, parameters } = call;
    this.via = via;
    this.user = user;
    this.userAgent = userAgent;
    this.verb = verb;
    this.name = name;
    this.subresource = subresource;
    // As in a path: the name of a namespace is also the namespace of the request.
    this.namespace = info.namespaced ? namespace : info.resource === 'namespaces' && !isOnCollection(verb) ? name : '';
    this.#info = info;
    this.#parameters = { ...parameters };
    this.#body = copyOf(body);
    this.contentType = this.#body === undefined ? '' : patchType === '' ? 'application/json' : patchType;
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
    const { namespace, subresource } = this;
    const name = isOnCollection(this.verb) ? '' : this.name;
    return (this.#path ??= pathOf(this.#info, { namespace, name, subresource }, unchanged));
  }

  get query(): string {
    return (this.#query ??= queryOf(this.verb, this.#parameters, OF_DELETION));
  }

  body(): Promise<JsonValue | undefined> {
    return Promise.resolve(this.#body);
  }
}

/** A path is shown as it is meant, not as it is encoded. */
const unchanged = (segment: string): string => segment;

const isOnCollection = (verb: string): boolean => verb === 'list' || verb === 'watch';

/** Returns a copy of a value of the caller; undefined for one that is not JSON. */
function copyOf(body: unknown): JsonValue | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  try {
    return cloneJson(body as JsonObject);
  } catch {
    return undefined;
  }
}
