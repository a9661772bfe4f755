import type { WebKeyPair } from '../../foundation/index.js';
import type { CertificateExtension } from './asn1/extensions.js';
import type { AlternativeNamesInput } from './names/alternative-names-input.js';
import type { SubjectNames } from './names/subject-names.js';

/** Options of {@link createCertificateRequest}. */
export interface CertificateRequestOptions {
  readonly subject: SubjectNames;
  readonly alternativeNames?: AlternativeNamesInput | undefined;
  /** Further extensions to request. A subject alternative name extension replaces `alternativeNames`. */
  readonly extensions?: readonly CertificateExtension[] | undefined;
  /** Key pair of the certificate. It signs the request to prove possession of the private key. */
  readonly keyPair: WebKeyPair;
}

/**
 * Creates a certificate request as Go does: extensions are the only attributes, and none is critical unless given as
 * critical.
 *
 * @returns DER; `encodePem('CERTIFICATE REQUEST', …)` returns the form that the API accepts
 * @throws X509Error when a name cannot be encoded; TypeError when the key cannot sign certificates
 */
export async function createCertificateRequest(options: CertificateRequestOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { encodeCertificateRequest } = await import('./issuing/index.js');
  return encodeCertificateRequest(options);
}
