import {
  decodeBase64Latin1,
  duplicate,
  invalid,
  MAX_SHOWN_CHARACTERS,
  messageOf,
  notSupported,
  required,
  VerbatimValue,
  type Dialect,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../foundation/index.js';
import { checkRequestSignature, readCertificateRequestPem, requestUsages } from '../../../security/index.js';
import { signerNameErrors } from '../shared/signer-name.js';
import type { CertificateSigningRequestFields } from './request-fields.js';

type Spec = CertificateSigningRequestFields['spec'];

const MIN_SECONDS = 600;

/** The usages that may be requested, in the order of error messages. */
const permittedUsages: ReadonlySet<string> = new Set([...requestUsages].sort());

/** Number of characters that a byte takes as Go prints it: `0x2d, `. */
const SHOWN_BYTE = 6;
/** Maximum number of bytes of a request that an error shows, so that its end is shown too; enough for usual requests. */
const MAX_SHOWN_BYTES = Math.floor(MAX_SHOWN_CHARACTERS / SHOWN_BYTE) - 4;

/** Formats bytes as Go prints them. */
function formatBytes(bytes: string): VerbatimValue {
  if (bytes === '') return new VerbatimValue('[]byte(nil)');
  const octets = Array.from(bytes.slice(0, MAX_SHOWN_BYTES), (octet) => `0x${octet.charCodeAt(0).toString(16)}`);
  return new VerbatimValue(`[]byte{${octets.join(', ')}${bytes.length > MAX_SHOWN_BYTES ? ', …' : ''}}`);
}

/**
 * Validates a PKCS #10 request and its signature, which proves that the requester has the private key.
 *
 * @param request base64 of PEM
 */
export async function requestErrors(request: string): Promise<FieldError[]> {
  const pem = decodeBase64Latin1(request) ?? '';
  const problem = await problemOf(pem);
  return problem === undefined ? [] : [invalid('spec.request', formatBytes(pem), problem)];
}

async function problemOf(pem: string): Promise<string | undefined> {
  try {
    return (await checkRequestSignature(readCertificateRequestPem(pem)))?.message;
  } catch (error) {
    return messageOf(error);
  }
}

function* usageErrors(errors: FieldErrorList, path: string, usages: readonly string[]): Steps<void> {
  if (usages.length === 0) errors.push(required(path));
  for (const [index, usage] of usages.entries()) {
    if (errors.spend()) yield;
    if (!permittedUsages.has(usage)) errors.push(notSupported(`${path}[${index}]`, usage, [...permittedUsages]));
  }
  const seen = new Set<string>();
  for (const [index, usage] of usages.entries()) {
    if (errors.spend()) yield;
    if (seen.has(usage)) errors.push(duplicate(`${path}[${index}]`, usage));
    seen.add(usage);
  }
}

/** Validates the other fields of the spec. */
export function* specErrors(
  errors: FieldErrorList,
  { usages = [], signerName, expirationSeconds }: Spec,
  { signers }: Dialect,
): Steps<void> {
  yield* usageErrors(errors, 'spec.usages', usages);
  if (signerName === signers.legacyUnknown)
    errors.push(invalid('spec.signerName', signerName, 'the legacy signerName is not allowed via this API version'));
  else signerNameErrors(errors, 'spec.signerName', signerName);
  if (expirationSeconds !== undefined && expirationSeconds < MIN_SECONDS) {
    errors.push(
      invalid(
        'spec.expirationSeconds',
        expirationSeconds,
        'may not specify a duration less than 600 seconds (10 minutes)',
      ),
    );
  }
}
