import {
  aFunction,
  aText,
  oneOf,
  type HttpClient,
  type OptionChecks,
  type ResolveService,
} from '../../foundation/index.js';
import { anHttpClient } from './outbound-checks.js';

/** The addresses and ports that services get, and how the server reaches services and other hosts. */
export interface NetworkOptions {
  /**
   * Network of the cluster IPs, in CIDR notation; two of different families, separated by a comma, for dual-stack
   * services. Default `10.0.0.0/24`.
   */
  readonly clusterIPRange?: string | undefined;
  /** Range of the node ports, both ends included. Default `30000-32767`. */
  readonly nodePortRange?: string | undefined;
  /**
   * Sends the server's outbound requests; default the platform's `fetch`, which does not support custom authorities or
   * certificates.
   */
  readonly httpClient?: HttpClient | undefined;
  /**
   * Returns the URL at which a webhook's service is reached; undefined for one that the server finds by the stored
   * Services and Endpoints, as it finds all by default.
   *
   * @throws Error when the service does not exist; clients see the message
   */
  readonly resolveService?: ResolveService | undefined;
  /**
   * The address of a service that the server requests: `Endpoints`, one of its endpoints, as Kubernetes does with
   * `--enable-aggregator-routing`; or its `ClusterIP`, for a host on which these are routed. Default `Endpoints`.
   */
  readonly serviceRouting?: 'Endpoints' | 'ClusterIP' | undefined;
}

/** Checks `network`; {@link LateServiceAllocation} parses the ranges. */
export const networkChecks: OptionChecks<NetworkOptions> = {
  clusterIPRange: aText,
  nodePortRange: aText,
  httpClient: anHttpClient,
  resolveService: aFunction,
  serviceRouting: oneOf('Endpoints', 'ClusterIP'),
};
