import { messageOf } from '../../meta/error-message.js';
import { duplicate, invalid, notSupported, required, ShownAs, type FieldError } from '../../meta/field-error.js';
import type { Dialect } from '../../names/dialect.js';
import { readCertificateRequestPem } from '../../pki/certificate-request.js';
import { checkRequestSignature } from '../../pki/signature.js';
import { requestUsages } from '../../pki/usages.js';
import { signerNameErrors } from '../shared/signer-name.js';
import type { CertificateSigningRequestFields } from './request-schema.js';

type Spec = CertificateSigningRequestFields['spec'];

const SHORTEST_SECONDS = 600;

/** The usages that may be asked for, in the order in which errors list them. */
const usages: ReadonlySet<string> = new Set([...requestUsages].sort());

/** Bytes of a request that an error shows: whole requests of the usual sizes. */
const MOST_SHOWN = 8 * 1024;

/** Bytes as production's language prints them. */
function shownBytes(bytes: string): ShownAs {
  if (bytes === '') return new ShownAs('[]byte(nil)');
  const octets = Array.from(bytes.slice(0, MOST_SHOWN), (octet) => `0x${octet.charCodeAt(0).toString(16)}`);
  return new ShownAs(`[]byte{${octets.join(', ')}${bytes.length > MOST_SHOWN ? ', …' : ''}}`);
}

/**
 * Reads what is asked for, and checks that it is signed with its own key: nobody asks for a certificate for a key that they do not have.
 *
 * @param request base64 of PEM
 */
export async function requestErrors(request: string): Promise<FieldError[]> {
  const pem = atob(request);
  const problem = await problemOf(pem);
  return problem === undefined ? [] : [invalid('spec.request', shownBytes(pem), problem)];
}

async function problemOf(pem: string): Promise<string | undefined> {
  try {
    return (await checkRequestSignature(readCertificateRequestPem(pem)))?.message;
  } catch (error) {
    return messageOf(error);
  }
}

function usageErrors(errors: FieldError[], path: string, wanted: readonly string[]): void {
  if (wanted.length === 0) errors.push(required(path));
  for (const [index, usage] of wanted.entries())
    if (!usages.has(usage)) errors.push(notSupported(`${path}[${index}]`, usage, [...usages]));
  const seen = new Set<string>();
  for (const [index, usage] of wanted.entries()) {
    if (seen.has(usage)) errors.push(duplicate(`${path}[${index}]`, usage));
    seen.add(usage);
  }
}

/** What is wrong with the rest of what is asked. */
export function specErrors(
  errors: FieldError[],
  { usages: wanted = [], signerName, expirationSeconds }: Spec,
  { signers }: Dialect,
): void {
  usageErrors(errors, 'spec.usages', wanted);
  if (signerName === signers.legacyUnknown)
    errors.push(invalid('spec.signerName', signerName, 'the legacy signerName is not allowed via this API version'));
  else signerNameErrors(errors, 'spec.signerName', signerName);
  if (expirationSeconds !== undefined && expirationSeconds < SHORTEST_SECONDS) {
    errors.push(
      invalid(
        'spec.expirationSeconds',
        expirationSeconds,
        'may not specify a duration less than 600 seconds (10 minutes)',
      ),
    );
  }
}
