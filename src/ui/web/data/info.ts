import { send, type Send } from './api.js';
import { isMap, listOf, textOf } from './guards.js';

/** The properties of the page that the server tells, before and after a user signs in. */
export interface PageInfo {
  /** Whether a client certificate of the browser can identify its user here. */
  readonly certificate: boolean;
  /** The OpenID providers by which people sign in. */
  readonly providers: readonly OfferedProvider[];
  /** Whether the server takes only reads from the page. */
  readonly readOnly: boolean;
  /** Whether it is a test server, which takes commands. */
  readonly test: boolean;
  /** The identity of the store of the server; empty until somebody is signed in. */
  readonly storeId: string;
}

/** An OpenID provider. */
export interface OfferedProvider {
  readonly name: string;
  /** URL of the issuer; undefined for the only one. */
  readonly issuer: string | undefined;
}

/** The properties before the server has told them. */
export const NO_INFO: PageInfo = { certificate: true, providers: [], readOnly: false, test: false, storeId: '' };

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
    providers: isMap(signIn['oidc']) ? providersIn(signIn['oidc']) : [],
    readOnly: isMap(info) && info['readOnly'] === true,
    test: isMap(info) && info['test'] === true,
    storeId: isMap(info) ? (textOf(info['storeId']) ?? '') : '',
  };
}

function providersIn({ name, issuers }: Readonly<Record<string, unknown>>): OfferedProvider[] {
  const several = listOf(issuers)
    .filter(isMap)
    .map((each) => ({ name: textOf(each['name']) ?? '', issuer: textOf(each['issuer']) }));
  if (several.length > 0) return several;
  return typeof name === 'string' ? [{ name, issuer: undefined }] : [];
}
