import { fetchHttpClient } from '../../foundation/index.js';
import type { PageProvider } from '../../ui/index.js';
import type { ApiServerOptions } from '../options/api-server-options.js';

/** Returns the provider by which people sign in to the page: that of `authentication.openIdConnect`. */
export function pageProviderOf({ authentication, network }: ApiServerOptions): PageProvider | undefined {
  const { issuerUrl, clientId, certificateAuthority } = authentication?.openIdConnect ?? {};
  if (issuerUrl === undefined || clientId === undefined) return undefined;
  return { issuerUrl, clientId, certificateAuthority, http: network?.httpClient ?? fetchHttpClient() };
}
