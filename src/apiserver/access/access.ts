/**
 * Explanations and recordings of access for the owner of a server. Requests cannot reach them.
 *
 * @module
 */
import type { UserInfo } from '../../foundation/index.js';
import type { Catalogue, ResourceDefinition } from '../../registry/index.js';
import {
  AccessRecording,
  type AccessExplanation,
  type Attributes,
  type Authorizer,
  type Decision,
  type RecordingOptions,
} from '../../security/index.js';
import type { Rbac } from '../../server/index.js';

/** An authorizer with its name. */
export interface NamedAuthorizer {
  /** Name in explanations. `RBAC` is reserved for the authorizer that uses roles and bindings. */
  readonly name: string;
  readonly authorize: Authorizer;
}

/** Options of an explanation. */
export interface ExplainAccessOptions {
  /** Namespace; default cluster scope or all namespaces. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
  /** API group of the resource. With a group, the resource need not be served. */
  readonly group?: string | undefined;
  /** Groups of the user, in addition to those that its name implies. */
  readonly groups?: readonly string[] | undefined;
}

/** Options of {@link Access}. */
export interface AccessParts {
  /** All authorizers of the server, combined. */
  readonly authorize: Authorizer;
  /** Returns the individual authorizers in order. */
  readonly authorizers: () => readonly NamedAuthorizer[];
  /** RBAC; undefined with a custom authorizer. Explanations include its roles when an authorizer uses them. */
  readonly rbac: Rbac | undefined;
  readonly catalogue: Catalogue;
}

/** Explains and records the decisions of one server. */
export class Access {
  readonly #parts: AccessParts;
  #recordings: readonly AccessRecording[] = [];

  constructor(parts: AccessParts) {
    this.#parts = parts;
  }

  /** The server's authorizer. Its decisions are recorded while a recording is active. */
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

  /** Implements `ApiServer.recordAccess`. */
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

  /** Implements `ApiServer.explain`. */
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
