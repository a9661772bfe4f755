/**
 * Aggregation: versions of API groups that other servers serve. Loaded with the first APIService.
 *
 * @module
 */
import type { StoredObject } from '../../foundation/index.js';
import type { ApiResponse, WebSocketAnswer } from '../requests/http.js';
import type { RequestScope } from '../requests/request-scope.js';
import { availabilityProblem, type CheckedVersion, type CheckParts } from './availability-check.js';
import { forward, forwardUpgrade, type ForwardHost, type ForwardParts } from './forward.js';
import type { RemoteVersion } from '../discovery/remote-version.js';
import type { RemoteDocument, RemoteDocumentSource } from '../openapi/merge/remote-document.js';
import { RemoteDiscovery, type RemoteDiscoveryParts } from './remote-discovery.js';
import { RemoteDocuments, type RemoteDocumentsParts } from './remote-documents.js';
import { partsOf, RemoteServices } from './remote-services.js';

export type { CheckedVersion } from './availability-check.js';
export type { ForwardHost, ProxyIdentity } from './forward.js';

/** Dependencies of {@link RemoteApis}. */
export interface RemoteApisParts
  extends ForwardParts, CheckParts, RemoteDocumentsParts, Pick<RemoteDiscoveryParts, 'memory'> {
  /** Returns whether the program of this server serves a version of a group: no APIService takes it away. */
  readonly isOwn: (group: string, version: string) => boolean;
}

/**
 * Answers a request that is for another server; undefined for one that this server answers. It has been authenticated
 * and authorized.
 */
export type RouteRemote = (
  scope: RequestScope,
  host: ForwardHost,
) => ApiResponse | Promise<ApiResponse | undefined> | undefined;

/** Opens a WebSocket of another server, or returns the response that refuses it. */
export type OpenRemote = () => Promise<WebSocketAnswer | ApiResponse>;

/** As {@link RouteRemote}, for a request for a WebSocket, which is not sent yet. */
export type UpgradeRemote = (
  scope: RequestScope,
  host: ForwardHost,
) => OpenRemote | Promise<OpenRemote | undefined> | undefined;

/** The API groups that other servers serve, as a server uses them. */
export interface RemoteGroups extends RemoteDocumentSource {
  readonly route: RouteRemote;
  readonly upgrade: UpgradeRemote;
  /** Returns the versions: the same list until something changes. */
  versions(): readonly RemoteVersion[];
}

/** The API groups that other servers serve. */
export class RemoteApis {
  readonly #services = new RemoteServices();
  readonly #discovery: RemoteDiscovery;
  readonly #documents: RemoteDocuments;
  readonly #parts: RemoteApisParts;

  constructor(parts: RemoteApisParts) {
    this.#parts = parts;
    this.#discovery = new RemoteDiscovery(parts);
    this.#documents = new RemoteDocuments(parts);
  }

  /** The versions that other servers serve: the same list until something changes. */
  get versions(): readonly RemoteVersion[] {
    return this.#discovery.versions;
  }

  /** Returns their OpenAPI documents of version 2, of each version its part. */
  documents(): Promise<readonly RemoteDocument[]> {
    return this.#documents.read();
  }

  /** Stops all background work. */
  close(): void {
    this.#discovery.close();
    this.#documents.close();
  }

  /** Takes a new or changed APIService. */
  set(name: string, object: StoredObject): void {
    const { group, version } = partsOf(name);
    if (this.#parts.isOwn(group, version)) return;
    const service = this.#services.set(name, object);
    if (service === undefined) {
      this.#forget(name);
      return;
    }
    this.#discovery.set(service);
    this.#documents.set(service);
  }

  /** Forgets an APIService. */
  delete(name: string): void {
    this.#services.delete(name);
    this.#forget(name);
  }

  #forget(name: string): void {
    this.#discovery.delete(name);
    this.#documents.delete(name);
  }

  /** See {@link RouteRemote}. */
  readonly route: RouteRemote = (scope, host) => {
    const service = this.#services.of(scope.info);
    return service === undefined ? undefined : forward(this.#parts, service, scope, host);
  };

  /** See {@link UpgradeRemote}. */
  readonly upgrade: UpgradeRemote = (scope, host) => {
    const service = this.#services.of(scope.info);
    return service && (() => forwardUpgrade(this.#parts, service, scope, host));
  };

  /** Returns why a server does not serve a version of a group; undefined when it does. */
  problem(checked: CheckedVersion): Promise<string | undefined> {
    return availabilityProblem(this.#parts, checked);
  }
}
