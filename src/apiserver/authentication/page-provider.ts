import { fetchHttpClient } from '../../foundation/index.js';
import type { JwtIssuer } from '../../security/index.js';
import type { PageProvider } from '../../ui/index.js';
import type { ApiServerOptions } from '../options/api-server-options.js';

/**
 * Returns the providers by which people sign in to the page: that of `authentication.openIdConnect`, or the issuers of the
 * authentication configuration. The client of an issuer is the first of its audiences.
 *
 * @param issuers those of the configuration that is in force
 */
export function pageProvidersOf(
  { authentication, network }: ApiServerOptions,
  issuers: readonly JwtIssuer[],
): PageProvider[] {
  const { issuerUrl, clientId, certificateAuthority } = authentication?.openIdConnect ?? {};
  const known: readonly JwtIssuer[] =
    issuerUrl === undefined || clientId === undefined
      ? issuers
      : [{ url: issuerUrl, audiences: [clientId], certificateAuthority }];
  if (known.length === 0) return [];
  const http = network?.httpClient ?? fetchHttpClient();
  return known.flatMap(({ url, discoveryURL: discoveryUrl, certificateAuthority: authority, audiences: [client] }) =>
    client === undefined
      ? []
      : [{ issuerUrl: url, clientId: client, discoveryUrl, certificateAuthority: authority, http }],
  );
}
