import type { Entropy, Logger } from '../foundation/index.js';
import type { CheckedRules } from '../machinery/index.js';
import type { AdmissionPlugin, Catalogue, OperationClient, Perform, ResourceDefinition } from '../registry/index.js';
import type { Authenticator, Authorizer } from '../security/index.js';
import type { RemoteGroups } from './aggregation/index.js';
import type { ConnectHandlers } from './connect/handlers.js';
import type { Fairness } from './filters/fairness.js';
import type { ServerLimits } from './limits/server-limits.js';
import type { Metrics } from './metrics/metrics.js';
import type { UpdateObserver } from './operations/resource-operations.js';
import type { AuditorSource } from './requests/auditing.js';
import type { CorsOptions } from './requests/cors.js';
import type { RequestInterceptor } from './requests/interception.js';
import type { AddedRoutes } from './routes/added-routes.js';
import type { DocumentSource } from './routes/non-resource-routes.js';
import type { FeatureGates } from './settings/feature-gates.js';
import type { Release } from './settings/release.js';
import type { VersionOptions } from './settings/version.js';
import type { RequestTracing } from './tracing/request-tracer.js';

/** The parts of a server. Nothing has a default here. */
export interface GenericServerOptions {
  /** The served kinds, with their stores. */
  readonly catalogue: Catalogue;
  readonly entropy: Entropy;
  readonly metrics: Metrics;
  /** Admission plugins, in order. */
  readonly admission: readonly AdmissionPlugin[];
  /** Waits for the start of the server; undefined when it has started. A rejection fails the requests that wait. */
  readonly started: () => Promise<void> | undefined;
  /**
   * Prepares a kind before a request; undefined when it is ready. The namespace is that of the request; undefined for
   * all, and where there is none.
   */
  readonly prepare: (definition: ResourceDefinition, verb?: string, namespace?: string) => Promise<void> | undefined;
  /** Operations of the virtual kinds whose definitions have no `perform`. */
  readonly performers: ReadonlyMap<ResourceDefinition, Perform>;
  /** Returns the client with which virtual kinds access other objects. */
  readonly client: () => OperationClient;
  /** The handlers of the subresources that connect, such as logs. */
  readonly connectHandlers: ConnectHandlers;
  /** Observers of updates, by kind. */
  readonly observers: ReadonlyMap<ResourceDefinition, UpdateObserver>;
  readonly authenticator: Authenticator;
  /** Audiences of this server: a credential that names audiences must name one of them. */
  readonly apiAudiences: readonly string[];
  readonly authorizer: Authorizer;
  /** Sees every request; absent for a server that needs none. */
  readonly interceptor?: RequestInterceptor | undefined;
  /** Returns what records requests; undefined without an audit log. */
  readonly audit?: AuditorSource | undefined;
  /** Web pages that may use the server; default none of other origins. */
  readonly cors?: CorsOptions | undefined;
  /**
   * Priority and fairness in place of the limits of requests in flight; the function returns undefined before the
   * server has started. Absent for a server with the limits only.
   */
  readonly fairness?: (() => Fairness | undefined) | undefined;
  /** Traces the requests; undefined without tracing. */
  readonly tracing?: RequestTracing | undefined;
  readonly featureGates: FeatureGates;
  readonly limits: ServerLimits;
  /** Where the rules that the checks of definitions compile are kept. */
  readonly checkedRules?: CheckedRules | undefined;
  /** Whether containers may be privileged; default true. */
  readonly allowPrivileged?: boolean | undefined;
  /** Whether the copies of objects that code of the server's owner gets are frozen; default false. */
  readonly freezes?: boolean | undefined;
  /** Grace period from now, in milliseconds, during which added checks do not fail `/livez`. */
  readonly livezGracePeriodMs: number;
  readonly version: VersionOptions;
  /** Release that decides which versions are deprecated. */
  readonly release: Release;
  readonly logger: Logger;
  /** Additional documents that a GET returns, by path. */
  readonly documents: ReadonlyMap<string, DocumentSource>;
  /** Further paths; absent: none. */
  readonly added?: AddedRoutes | undefined;
  /** Answers the requests for API groups that other servers serve. Absent: no group is one of another server. */
  readonly remote?: RemoteGroups | undefined;
  /** Returns the address that discovery gives to clients, `host:port`. */
  readonly serverAddress: () => string;
}
