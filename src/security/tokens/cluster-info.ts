/**
 * The signatures of the public ConfigMap that contains, for a joining machine, the server's address and the certificate
 * authority to trust: one detached JSON Web Signature (RFC 7515, appendix F) for each bootstrap token that may sign. A
 * machine with the token can verify that the ConfigMap comes from a holder of the same token.
 *
 * @module
 */
import {
  decodeBase64Url,
  decodeBase64UrlText,
  encodeBase64UrlText,
  encodeUtf8,
  isJsonObject,
  parsedJson,
} from '../../foundation/index.js';
import { requireBootstrapToken } from './bootstrap-token.js';

/** The ConfigMap in the dialect's public namespace. */
export const CLUSTER_INFO = Object.freeze({
  name: 'cluster-info',
  /** Key of the signed client configuration. */
  kubeconfigKey: 'kubeconfig',
  /** Prefix of the signature keys, followed by the token's id. */
  signaturePrefix: 'jws-kubeconfig-',
});

/** Maximum length in characters; a signature has about 100. */
const MAX_SIGNATURE_LENGTH = 1024;

/** The HMAC key is the whole token, as in the contract's "ConfigMap signing". */
const keyOf = (token: string): Uint8Array => encodeUtf8(token);

/**
 * Signs a client configuration with a bootstrap token.
 *
 * @param token `<id>.<secret>`
 * @returns `<header>..<signature>` with algorithm HS256 and the token's id as key id
 * @throws TypeError when the form of the token is invalid
 */
export async function signClusterInfo(kubeconfig: string, token: string): Promise<string> {
  const { id } = requireBootstrapToken(token);
  const { FlattenedSign } = await import('jose/jws/flattened/sign');
  const jws = new FlattenedSign(encodeUtf8(kubeconfig)).setProtectedHeader({ alg: 'HS256', kid: id });
  const { protected: header, signature } = await jws.sign(keyOf(token));
  return `${header}..${signature}`;
}

/**
 * Checks a signature of {@link signClusterInfo}: algorithm HS256, this token, and a detached payload.
 *
 * @throws TypeError when the form of the token is invalid
 * @throws Error when the signature is malformed or does not match the text and the token
 */
export async function checkClusterInfoSignature(signature: string, kubeconfig: string, token: string): Promise<void> {
  const { id } = requireBootstrapToken(token);
  const parts = signature.length > MAX_SIGNATURE_LENGTH ? [] : signature.split('.');
  const [header, payload, code] = parts;
  if (parts.length !== 3 || header === undefined || payload === undefined || code === undefined)
    throw new Error('the signature is not a compact JWS');
  if (payload !== '') throw new Error('the signature must be detached: its payload is left out');
  const { alg, kid, crit } = readHeader(header);
  if (alg !== 'HS256') throw new Error('the algorithm of the signature must be HS256');
  if (kid !== id) throw new Error(`the signature must be by the key with the id ${JSON.stringify(id)}`);
  if (crit !== undefined) throw new Error('the signature requires unsupported extensions');
  const { flattenedVerify } = await import('jose/jws/flattened/verify');
  const jws = { protected: header, payload: encodeBase64UrlText(kubeconfig), signature: code };
  try {
    // jose accepts any form of base64, including padding.
    if (decodeBase64Url(code) === undefined) throw new TypeError('the signature is not base64url');
    await flattenedVerify(jws, keyOf(token), { algorithms: ['HS256'] });
  } catch (cause) {
    throw new Error('the signature does not match this content and this token', { cause });
  }
}

function readHeader(encoded: string): { readonly alg?: unknown; readonly kid?: unknown; readonly crit?: unknown } {
  const header = parsedJson(decodeBase64UrlText(encoded) ?? '');
  if (!isJsonObject(header)) throw new Error('the header of the signature is not a JSON object');
  return header;
}
