import type { WebKeyPair } from '../meta/web-crypto.js';
import { encodeAlternativeNames, type AlternativeNamesInput } from './alternative-names-input.js';
import { EXTENSION_REQUEST } from './certificate-request.js';
import { type Der, derBitString, derInteger, derSequence, derSetOf, derValue } from '../encoding/der-writer.js';
import { constructedContextTag } from '../encoding/der.js';
import { derObjectIdentifier } from './der-writer.js';
import { encodeExtensions } from './extension-values.js';
import { ExtensionType, type CertificateExtension } from './extensions.js';
import { encodePublicKey } from './key-pair.js';
import { signingWith } from './signing.js';
import { encodeSubjectNames, type SubjectNames } from './subject-names.js';

/** What a certificate is to be requested for. */
export interface CertificateRequestOptions {
  readonly subject: SubjectNames;
  readonly alternativeNames?: AlternativeNamesInput;
  /** Further extensions to ask for. One for names besides the subject stands in place of `alternativeNames`. */
  readonly extensions?: readonly CertificateExtension[];
  /** The key that the certificate is to be for. It signs the request, to prove that it is there. */
  readonly keyPair: WebKeyPair;
}

/**
 * Makes a request for a certificate, as production's library writes it: no other attributes than the extensions, nothing
 * critical but what is given so.
 *
 * @returns DER; `encodePem('CERTIFICATE REQUEST', …)` makes what the API takes
 * @throws X509Error for names that cannot be written; TypeError for a key that cannot sign certificates
 */
export async function createCertificateRequest(options: CertificateRequestOptions): Promise<Uint8Array> {
  const { subject, keyPair } = options;
  const { algorithm, sign } = signingWith(keyPair.privateKey);
  const publicKey = await encodePublicKey(keyPair.publicKey);
  const signed = derSequence(
    derInteger(0),
    encodeSubjectNames(subject),
    publicKey,
    derValue(constructedContextTag(0), ...attributesOf(options)),
  );
  return derSequence(signed, algorithm, derBitString(await sign(signed)));
}

function attributesOf({ alternativeNames = {}, extensions = [] }: CertificateRequestOptions): Der[] {
  const given = extensions.some(({ type }) => type === ExtensionType.subjectAlternativeName);
  const names = given ? undefined : encodeAlternativeNames(alternativeNames);
  const all = [
    ...(names === undefined ? [] : [{ type: ExtensionType.subjectAlternativeName, critical: false, value: names }]),
    ...extensions,
  ];
  return all.length === 0
    ? []
    : [derSequence(derObjectIdentifier(EXTENSION_REQUEST), derSetOf([encodeExtensions(all)]))];
}
