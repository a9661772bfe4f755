import { goQuote, ownMember, stringOrEmpty, wrapError } from '../../../foundation/index.js';
import { isHttpsUrl, parseJsonObject, type ReadDocument } from './document.js';

/** Returns the URL of a provider's configuration (OpenID Connect Discovery, section 4). */
export function wellKnownUrl(issuer: string): string {
  return `${issuer.endsWith('/') ? issuer.slice(0, -1) : issuer}/.well-known/openid-configuration`;
}

/**
 * Reads the provider's configuration.
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
  const { text } = await read(url);
  const document = parseDocument(text);
  const named = ownMember(document, 'issuer');
  if (named !== issuer) {
    throw new Error(
      `oidc: issuer did not match the issuer returned by provider, expected ${goQuote(issuer)} got ${goQuote(stringOrEmpty(named))}`,
    );
  }
  const keys = ownMember(document, 'jwks_uri');
  if (typeof keys !== 'string' || !isHttpsUrl(keys))
    throw new Error(`oidc: jwks_uri of provider ${goQuote(issuer)} is not an https URL`);
  return keys;
}

function parseDocument(text: string): Record<string, unknown> {
  try {
    return parseJsonObject(text, 'the document');
  } catch (error) {
    throw wrapError('oidc: failed to decode provider discovery object', error);
  }
}
