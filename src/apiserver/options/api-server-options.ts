import type { Clock, Dialect, Entropy } from '../../foundation/index.js';
import type { ConversionFunction } from '../../kinds/index.js';
import type { ResourceDefinition } from '../../registry/index.js';
import type {
  ConnectHandlers,
  FeatureGateName,
  Release,
  RequestInterceptor,
  VersionOptions,
} from '../../server/index.js';
import type { Simulation } from '../../simulation/index.js';
import type { Storage } from '../../storage/index.js';
import type { AuthorizationOptions } from '../access/authorization-options.js';
import type { AuthenticationOptions } from '../authentication/authentication.js';
import type { CertificateOptions } from '../authentication/certificates.js';
import type { AdmissionOptions } from './admission-options.js';
import type { ControllersOptions } from './controllers-options.js';
import type { LimitOptions } from './limit-options.js';
import type { NetworkOptions } from './network-options.js';
import type { ObservabilityOptions } from './observability-options.js';

/**
 * Options of a server, in groups. Every option has a default: `new ApiServer()` is a complete server in
 * memory.
 */
export interface ApiServerOptions {
  /** Dialect that sets the names in the API; default `orch`. Existing Kubernetes clients need `kubernetes`. */
  readonly dialect?: Dialect | 'orch' | 'kubernetes' | undefined;
  /** Kinds in addition to the built-in ones. */
  readonly resources?: readonly ResourceDefinition[] | undefined;
  /**
   * Functions that convert custom resources in place of the webhook that their definition names, by the name of the
   * definition, `<plural>.<group>`. Definitions with the conversion strategy `None` do not use them.
   */
  readonly conversionWebhooks?: Readonly<Record<string, ConversionFunction>> | undefined;
  /** Storage of the objects; default in memory. The server closes it. */
  readonly storage?: Storage | undefined;
  /**
   * Whether the ranges of cluster IPs and node ports of this server replace those that the servers of its storage have
   * agreed on. It is refused while another server runs. Default false: a server that differs is refused.
   */
  readonly replaceAgreement?: boolean | undefined;
  /** Who users are: the methods of authentication, and the token of the owner. */
  readonly authentication?: AuthenticationOptions | undefined;
  /**
   * The rights of users: authorization modes, an authorization configuration, or an authorizer of the program. Default
   * `{ modes: ['RBAC'] }`, with the default roles and bindings of Kubernetes. Members of `system:masters` may do
   * everything.
   */
  readonly authorization?: AuthorizationOptions | undefined;
  /** The checks and changes of writes: admission plugins, built in or of the program, and webhooks. */
  readonly admission?: AdmissionOptions | undefined;
  /** Which controllers run. */
  readonly controllers?: ControllersOptions | undefined;
  /** Simulated nodes that run the pods, from `createSimulation`. Default none: pods stay Pending. */
  readonly simulation?: Simulation | undefined;
  /**
   * Functions that answer where Kubernetes asks a node or forwards a request: the logs of pods, commands in them, ports
   * and proxies. Without a handler the server refuses the request with 501.
   */
  readonly handlers?: ConnectHandlers | undefined;
  /** The addresses and ports that services get, and how the server reaches other hosts. */
  readonly network?: NetworkOptions | undefined;
  /** The certificates that the server signs, and the authority that clients verify it with. */
  readonly certificates?: CertificateOptions | undefined;
  /** Audit log, tracing, metrics, log and health. */
  readonly observability?: ObservabilityOptions | undefined;
  /** Limits of requests, watches and memory. */
  readonly limits?: LimitOptions | undefined;
  /**
   * API Priority and Fairness, in place of the limits of requests in flight: flow schemas and priority levels, which the
   * server creates and maintains, decide which requests execute, wait in fair queues, or are refused. Default false.
   */
  readonly fairness?: boolean | undefined;
  /**
   * Sees every request that has been authenticated, those of in-process clients too, and may delay it, fail it, answer it
   * from a past state or lose its connection. Default none.
   */
  readonly interceptor?: RequestInterceptor | undefined;
  /** Feature gates: `{ WatchList: true }`, or the value of the flag `--feature-gates`, `WatchList=true`. */
  readonly featureGates?:
    string | { readonly [Gate in FeatureGateName | 'AllAlpha' | 'AllBeta']?: boolean | undefined } | undefined;
  /**
   * API versions to turn on or off, as in the flag `--runtime-config`: `api/alpha=true,group/version=false`. The groups
   * and versions must exist.
   */
  readonly runtimeConfig?: string | undefined;
  /**
   * Whether containers, and processes of Windows nodes, may be privileged. Default true; the API server of Kubernetes has
   * false, and most installations change it.
   */
  readonly allowPrivileged?: boolean | undefined;
  /**
   * Whether the objects that the server hands to code of its owner, such as admission plugins, strategies and columns, are
   * frozen, so that a write to one throws. Otherwise such a write changes a copy, and nothing else. Default false; on in
   * test servers.
   */
  readonly freezeHanded?: boolean | undefined;
  /**
   * Release whose API versions are served and whose deprecations warn; default `1.31`. Behaviour, feature gates and the
   * body of `/version` remain those of release 1.31.
   */
  readonly release?: Release | undefined;
  /** Clock of the server; default the host's. */
  readonly clock?: Clock | undefined;
  /** Randomness of the server; default the host's. */
  readonly entropy?: Entropy | undefined;
  /** Build information in `/version`. */
  readonly version?: VersionOptions | undefined;
}

/** Options of `ApiServer.fork`: the parts that servers cannot share. */
export interface ForkOptions {
  /** Clock of the fork; default the host's. It should start at the time of the original. */
  readonly clock?: Clock | undefined;
  /** Randomness of the fork; default the host's. */
  readonly entropy?: Entropy | undefined;
  /** Simulated nodes of the fork; default those of the original, with their current rules. */
  readonly simulation?: Simulation | undefined;
  /** Interceptor of the fork; default that of the original. */
  readonly interceptor?: RequestInterceptor | undefined;
}
