import { send, type Send } from './api.js';
import { isMap, textOf } from './guards.js';

/** The properties of the page that the server tells, before and after a user signs in. */
export interface PageInfo {
  /** Whether a client certificate of the browser can identify its user here. */
  readonly certificate: boolean;
  /** The host of the OpenID provider; undefined without one. */
  readonly provider: string | undefined;
  /** Whether the server takes only reads from the page. */
  readonly readOnly: boolean;
  /** Whether it is a test server, which takes commands. */
  readonly test: boolean;
}

/** The properties before the server has told them. */
export const NO_INFO: PageInfo = { certificate: true, provider: undefined, readOnly: false, test: false };

/** Reads the properties of the page. @throws ApiFailure when it refuses, as a server without a page does */
export async function readInfo(
  root: URL,
  headers: Readonly<Record<string, string>>,
  fetcher?: Send,
): Promise<PageInfo> {
  const response = await send(new URL('ui/v1/info', root), { headers, fetcher });
  const info: unknown = await response.json();
  const signIn = isMap(info) && isMap(info['signIn']) ? info['signIn'] : {};
  return {
    certificate: signIn['certificate'] === true,
    provider: isMap(signIn['oidc']) ? textOf(signIn['oidc']['name']) : undefined,
    readOnly: isMap(info) && info['readOnly'] === true,
    test: isMap(info) && info['test'] === true,
  };
}
