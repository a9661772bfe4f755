import type { KeepAlive } from '../meta/keep-alive.js';
import type { Dialect } from '../names/dialect.js';
import type { UserInfo } from '../meta/object.js';
import type { RequestContext } from '../registry/context.js';
import type { ResourceDefinition } from '../registry/definition.js';
import type { ResourceOperations } from '../server/resource-operations.js';

/** What a request of a client is checked for before it runs. */
export interface ClientRequest {
  readonly user: UserInfo;
  readonly verb: string;
  readonly operations: ResourceOperations;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** The server's side of a client: what a server offers to clients in its own process. */
export interface ClientBackend {
  /** Resolves when the server can answer about a kind; undefined when it can already. */
  started(definition: ResourceDefinition): Promise<void> | undefined;
  /** The verbs of a kind. @throws TypeError when the kind is not served */
  operationsOf(definition: ResourceDefinition): ResourceOperations;
  readonly dialect: Dialect;
  /** Who the owner of the process is to the server. */
  readonly owner: UserInfo;
  /** Refuses what the user may not do. @throws ApiError 403 */
  authorize(request: ClientRequest): Promise<void>;
  /** Waits for the answer to a request, and keeps the process alive meanwhile. @throws ApiError 504 when it takes longer than a request may */
  bounded<Answer>(answer: Promise<Answer>): Promise<Answer>;
  /** Keeps the process alive while somebody waits for the next event of a watch. */
  keepAlive(): KeepAlive;
  /** The context of a request. */
  context(
    user: UserInfo,
    fieldManager: string,
    warn: (text: string) => void,
    signal: AbortSignal | undefined,
  ): RequestContext;
}
