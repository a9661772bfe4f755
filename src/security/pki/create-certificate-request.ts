import type { Der, WebKeyPair } from '../../foundation/index.js';
import { ExtensionType, type CertificateExtension } from './asn1/extensions.js';
import { alternativeNamesExtension } from './issuing/alternative-names.js';
import { givenExtension } from './issuing/extensions.js';
import { loadX509 } from './issuing/library.js';
import { encodeSubjectNames } from './issuing/subject.js';
import { signingAlgorithmOf } from './keys/signing.js';
import type { AlternativeNamesInput } from './names/alternative-names-input.js';
import type { SubjectNames } from './names/subject-names.js';

/** Options of {@link createCertificateRequest}. */
export interface CertificateRequestOptions {
  readonly subject: SubjectNames;
  readonly alternativeNames?: AlternativeNamesInput;
  /** Further extensions to request. A subject alternative name extension replaces `alternativeNames`. */
  readonly extensions?: readonly CertificateExtension[];
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
export async function createCertificateRequest(options: CertificateRequestOptions): Promise<Der> {
  const { subject, alternativeNames = {}, extensions = [], keyPair } = options;
  const signingAlgorithm = signingAlgorithmOf(keyPair.privateKey);
  const x509 = await loadX509();
  const given = extensions.some(({ type }) => type === ExtensionType.subjectAlternativeName);
  const names = given ? undefined : alternativeNamesExtension(alternativeNames, false);
  const request = await x509.Pkcs10CertificateRequestGenerator.create(
    {
      name: encodeSubjectNames(x509, subject),
      extensions: [...(names === undefined ? [] : [names]), ...extensions].map((extension) =>
        givenExtension(x509, extension),
      ),
      keys: keyPair,
      signingAlgorithm,
    },
    crypto,
  );
  return new Uint8Array(request.rawData);
}
