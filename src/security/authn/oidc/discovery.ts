import { goQuote, ownMember, stringOrEmpty, wrapError } from '../../../foundation/index.js';
import { isHttpsUrl, parseJsonObject, type ReadDocument } from './document.js';

/** Returns the URL of a provider's configuration (OpenID Connect Discovery, section 4). */
export function wellKnownUrl(issuer: string): string {
  return `${issuer.endsWith('/') ? issuer.slice(0, -1) : issuer}/.well-known/openid-configuration`;
}

/**
 * Reads the provider's configuration, and returns where its keys are.
 *
 * @param issuer expected issuer in the document, whatever its URL
 * @param url default {@link wellKnownUrl} of the issuer
 * @returns URL of the provider's keys
 * @throws Error when the document is missing or names another issuer, or its keys are not at an https URL
 */
export async function discoverKeys(
  read: ReadDocument,
  issuer: string,
  url: string = wellKnownUrl(issuer),
): Promise<string> {
  return urlIn(await readConfiguration(read, issuer, url), 'jwks_uri', issuer);
}

/** Where a provider signs people in. */
export interface SignInEndpoints {
  /** URL of the page to which the browser is sent. */
  readonly authorization: string;
  /** URL at which a code is exchanged for tokens. */
  readonly token: string;
  /** Whether the provider names itself in its answers to the browser (RFC 9207). */
  readonly namesIssuer: boolean;
}

/**
 * Reads the provider's configuration, and returns where it signs people in.
 *
 * @param url of the configuration; default the well-known one below the issuer
 * @throws Error when the document is missing or names another issuer, or an endpoint is not at an https URL
 */
export async function discoverSignIn(
  read: ReadDocument,
  issuer: string,
  url: string = wellKnownUrl(issuer),
): Promise<SignInEndpoints> {
  const document = await readConfiguration(read, issuer, url);
  return {
    authorization: urlIn(document, 'authorization_endpoint', issuer),
    token: urlIn(document, 'token_endpoint', issuer),
    namesIssuer: ownMember(document, 'authorization_response_iss_parameter_supported') === true,
  };
}

async function readConfiguration(read: ReadDocument, issuer: string, url: string): Promise<Record<string, unknown>> {
  const { text } = await read(url);
  const document = parseDocument(text);
  const named = ownMember(document, 'issuer');
  if (named === issuer) return document;
  throw new Error(
    `oidc: issuer did not match the issuer returned by provider, expected ${goQuote(issuer)} got ${goQuote(stringOrEmpty(named))}`,
  );
}

function urlIn(document: Record<string, unknown>, name: string, issuer: string): string {
  const url = ownMember(document, name);
  if (typeof url === 'string' && isHttpsUrl(url)) return url;
  throw new Error(`oidc: ${name} of provider ${goQuote(issuer)} is not an https URL`);
}

function parseDocument(text: string): Record<string, unknown> {
  try {
    return parseJsonObject(text, 'the document');
  } catch (error) {
    throw wrapError('oidc: failed to decode provider discovery object', error);
  }
}
