import type { Openssl } from '../../security/pki/support/openssl.js';

/** A certificate request and its key, as files in openssl's directory and as PEM. */
export interface KeyAndRequest {
  readonly keyFile: string;
  readonly keyPem: string;
  readonly file: string;
  readonly pem: string;
}

let count = 0;

/** Lets openssl generate a key and a certificate request. @param more words for `openssl req` */
export function newRequest({ run, file }: Openssl, subject: string, ...more: readonly string[]): KeyAndRequest {
  const name = `request-${(count += 1)}`;
  const keyPem = run(['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256']);
  const keyFile = file(`${name}.key`, keyPem);
  const pem = run(['req', '-new', '-key', keyFile, '-subj', subject, ...more]);
  return { keyFile, keyPem, file: file(`${name}.csr`, pem), pem };
}
