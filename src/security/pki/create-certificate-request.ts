import {
  constructedContextTag,
  derBitString,
  derInteger,
  derSequence,
  derSetOf,
  derValue,
  type Der,
  type WebKeyPair,
} from '../../foundation/index.js';
import { derObjectIdentifier } from './asn1/der-writer.js';
import { encodeExtensions } from './asn1/extension-values.js';
import { ExtensionType, type CertificateExtension } from './asn1/extensions.js';
import { EXTENSION_REQUEST } from './certificate-request.js';
import { encodePublicKey } from './keys/key-pair.js';
import { signingWith } from './keys/signing.js';
import { encodeAlternativeNames, type AlternativeNamesInput } from './names/alternative-names-input.js';
import { encodeSubjectNames, type SubjectNames } from './names/subject-names.js';

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
