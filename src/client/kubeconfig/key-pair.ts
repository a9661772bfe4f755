import { createPrivateKey, X509Certificate } from 'node:crypto';
import { CredentialError } from '../wire/credential.js';
import { KubeConfigError } from './errors.js';

/** A certificate, with optional intermediates, and its key, in PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/**
 * Returns the pair if the key matches the first certificate.
 *
 * @throws CredentialError in Kubernetes' words
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
 * Returns the authorities if there is at least one.
 *
 * @throws KubeConfigError in Kubernetes' words
 */
export function checkAuthorities(pem: string): string {
  try {
    if (new X509Certificate(pem).raw.length > 0) return pem;
  } catch {
    // Reported below, without the library's message.
  }
  throw new KubeConfigError('unable to load root certificates: unable to parse bytes as PEM block');
}

/** Runs a parser and hides its error messages, which may quote the input. */
function attempt<Value>(parse: () => Value, problem: string): Value {
  try {
    return parse();
  } catch {
    throw new CredentialError(problem);
  }
}
