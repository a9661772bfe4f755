import { createPrivateKey, X509Certificate } from 'node:crypto';
import { CredentialError, KubeConfigError } from './errors.js';

/** A certificate, perhaps followed by its intermediates, and its key; PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/**
 * The pair itself, when the key belongs to the first certificate.
 *
 * @throws CredentialError in the words of the production system
 */
export function checkKeyPair(pair: KeyPair): KeyPair {
  if (!pair.certificate.includes('-----BEGIN CERTIFICATE-----'))
    throw new CredentialError('tls: failed to find any PEM data in certificate input');
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pair.key))
    throw new CredentialError('tls: failed to find any PEM data in key input');
  const certificate = attempt(() => new X509Certificate(pair.certificate), 'tls: failed to parse certificate');
  const key = attempt(() => createPrivateKey(pair.key), 'tls: failed to parse private key');
  if (!certificate.checkPrivateKey(key)) throw new CredentialError('tls: private key does not match public key');
  return pair;
}

/**
 * The authorities themselves, when there is at least one.
 *
 * @throws KubeConfigError in the words of the production system
 */
export function checkAuthorities(pem: string): string {
  try {
    if (new X509Certificate(pem).raw.length > 0) return pem;
  } catch {
    // Told below, without the library's words.
  }
  throw new KubeConfigError('unable to load root certificates: unable to parse bytes as PEM block');
}

/** Runs a parser whose own messages may show what it parsed. */
function attempt<Value>(parse: () => Value, problem: string): Value {
  try {
    return parse();
  } catch {
    throw new CredentialError(problem);
  }
}
