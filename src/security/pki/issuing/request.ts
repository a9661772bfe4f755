import type { Der } from '../../../foundation/index.js';
import { ExtensionType } from '../asn1/extensions.js';
import type { CertificateRequestOptions } from '../create-certificate-request.js';
import { signingAlgorithmOf } from '../keys/signing.js';
import { alternativeNamesExtension } from './alternative-names.js';
import { checkedIdentifier } from './extensions.js';
import { subjectName } from './subject.js';
import { loadX509 } from './x509-library.js';

/** Encodes and signs a certificate request. See `createCertificateRequest`. */
export async function encodeCertificateRequest(options: CertificateRequestOptions): Promise<Der> {
  const { subject, alternativeNames = {}, extensions = [], keyPair } = options;
  const signingAlgorithm = signingAlgorithmOf(keyPair.privateKey);
  const x509 = await loadX509();
  const given = extensions.some(({ type }) => type === ExtensionType.subjectAlternativeName);
  const names = given ? undefined : alternativeNamesExtension(alternativeNames, false);
  const all = [...(names === undefined ? [] : [names]), ...extensions];
  const request = await x509.Pkcs10CertificateRequestGenerator.create(
    {
      name: new x509.Name(subjectName(subject)),
      extensions: all.map(
        ({ type, critical, value }) => new x509.Extension(checkedIdentifier(type), critical, new Uint8Array(value)),
      ),
      keys: keyPair,
      signingAlgorithm,
    },
    crypto,
  );
  return new Uint8Array(request.rawData);
}
