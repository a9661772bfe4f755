import {
  aFunction,
  aText,
  listOf,
  matching,
  nested,
  oneOf,
  type HttpClient,
  type OptionChecks,
  type ResolveService,
} from '../../foundation/index.js';
import { isOriginPattern, type CorsOptions } from '../../server/index.js';
import { anHttpClient } from './outbound-checks.js';

/**
 * The addresses and ports that services get, how the server reaches services and other hosts, and which web pages reach
 * it.
 */
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
  /** Web pages of other origins that may use the server (CORS). Default none. */
  readonly cors?: CorsOptions | undefined;
}

/** Checks `network`; {@link LateServiceAllocation} parses the ranges. */
export const networkChecks: OptionChecks<NetworkOptions> = {
  clusterIPRange: aText,
  nodePortRange: aText,
  httpClient: anHttpClient,
  resolveService: aFunction,
  serviceRouting: oneOf('Endpoints', 'ClusterIP'),
  cors: nested(
    {
      origins: listOf(
        matching('an origin such as https://app.example or https://*.app.example, or *', isOriginPattern),
        'a list of origins',
      ),
    } satisfies OptionChecks<CorsOptions>,
    ['origins'],
  ),
};
