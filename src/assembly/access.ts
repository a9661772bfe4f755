/**
 * What the owner of a server may ask about access: why a request is allowed or not, and what somebody needed. Nothing of it is
 * reachable by a request.
 *
 * @module
 */
import type { Attributes, Authorizer, Decision } from '../authz/index.js';
import type { AccessExplanation } from '../authz/explain/explanation.js';
import { AccessRecording, type RecordingOptions } from '../authz/explain/recording.js';
import type { UserInfo } from '../meta/object.js';
import type { Catalogue } from '../registry/catalogue.js';
import type { ResourceDefinition } from '../registry/definition.js';
import type { Rbac } from './rbac.js';

/** One of a server's authorizers. */
export interface NamedAuthorizer {
  /** What explanations call it. The one that decides by roles and bindings has the name `RBAC`, and no other has. */
  readonly name: string;
  readonly authorize: Authorizer;
}

/** What access is asked about. */
export interface ExplainAccessOptions {
  /** Default: outside of namespaces, or all of them. */
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  /** API group of the resource, taken as it is: the resource need not be served then. */
  readonly group?: string;
  /** Groups of the user, besides those that come with the name. */
  readonly groups?: readonly string[];
}

/** What {@link Access} works with. */
export interface AccessParts {
  /** Every authorizer of the server, as one. */
  readonly authorize: Authorizer;
  /** The same, one by one, in the order in which they are asked. */
  readonly authorizers: () => readonly NamedAuthorizer[];
  /** The server's roles; absent when it keeps none. Explanations tell of them where an authorizer decides by them. */
  readonly rbac: Rbac | undefined;
  readonly catalogue: Catalogue;
}

/** What explains and records the decisions of one server. */
export class Access {
  readonly #parts: AccessParts;
  #recordings: readonly AccessRecording[] = [];

  constructor(parts: AccessParts) {
    this.#parts = parts;
  }

  /** The server's authorizer for requests: decides as it does, and is recorded while somebody records. */
  get authorize(): Authorizer {
    const { authorize } = this.#parts;
    return Object.assign(
      (attributes: Attributes): Decision | Promise<Decision> => {
        const answer = authorize(attributes);
        return this.#recordings.length === 0 ? answer : this.#recorded(attributes, answer);
      },
      authorize.rulesFor === undefined ? {} : { rulesFor: authorize.rulesFor },
    );
  }

  #recorded(attributes: Attributes, answer: Decision | Promise<Decision>): Decision | Promise<Decision> {
    if (answer instanceof Promise) return answer.then((decision) => this.#recorded(attributes, decision));
    for (const recording of this.#recordings) recording.add(attributes, answer);
    return answer;
  }

  /** See `ApiServer.recordAccess`. */
  record(user: UserInfo | string | undefined, options: RecordingOptions = {}): AccessRecording {
    const { resources, environment } = this.#parts.catalogue;
    const clusterScoped = new Set(
      resources.flatMap(({ namespaced, group, resource }) => (namespaced ? [] : [`${group}/${resource}`])),
    );
    const recording = new AccessRecording({
      ...options,
      dialect: environment.dialect,
      username: typeof user === 'string' ? user : user?.username,
      isClusterScoped: (group, resource) => clusterScoped.has(`${group}/${resource}`),
      onStop: (stopped) => (this.#recordings = this.#recordings.filter((other) => other !== stopped)),
    });
    this.#recordings = [...this.#recordings, recording];
    return recording;
  }

  /** See `ApiServer.explain`. */
  async explain(
    user: UserInfo | string,
    verb: string,
    resource: ResourceDefinition | string,
    options: ExplainAccessOptions = {},
  ): Promise<AccessExplanation> {
    const { explainAccess } = await import('./explain-access.js');
    return explainAccess(user, verb, resource, options, this.#parts);
  }
}
