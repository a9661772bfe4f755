import { decodeBase64Latin1, parsePem, type Dialect, type StoredObject } from '../../foundation/index.js';
import { certificatesIn, type CertificateSigningRequestFields } from '../../kinds/index.js';
import type { UpdateObserver } from '../operations/resource-operations.js';
import type { Metrics } from './metrics.js';
import { certificateMetrics } from './table/access-metrics.js';

/**
 * Tolerance of a certificate's duration, in milliseconds, in addition to a twentieth of it, because the validity of
 * certificates starts slightly in the past.
 */
const TOLERANCE_MS = 5 * 60_000;

/** Returns an observer that counts certificates issued for a requested duration, and those that have it. */
export function certificateDurations(metrics: Metrics, dialect: Dialect): UpdateObserver {
  const { labelDomain } = dialect;
  const {
    apiserver_certificates_registry_csr_requested_duration_total: requested,
    apiserver_certificates_registry_csr_honored_duration_total: honored,
  } = certificateMetrics(dialect);
  return (object, old) => {
    const { status } = requestOf(object);
    const { spec, status: before } = requestOf(old);
    const { certificate = '' } = status;
    if (spec.expirationSeconds === undefined || certificate === '' || (before.certificate ?? '') !== '') return;
    // Clients can invent any number of signer names.
    const labels = { signerName: spec.signerName.startsWith(`${labelDomain}/`) ? spec.signerName : 'other' };
    metrics.counter(requested).add(1, labels);
    if (isHonored(spec.expirationSeconds * 1000, certificate)) metrics.counter(honored).add(1, labels);
  };
}

// Observers of a kind receive only objects of that kind.
const requestOf = (object: StoredObject): CertificateSigningRequestFields =>
  object as StoredObject & CertificateSigningRequestFields;

/**
 * Returns whether a certificate has the requested duration, within the tolerance.
 *
 * @param wantedMs requested duration, in milliseconds
 * @param certificate base64 of PEM, validated
 */
function isHonored(wantedMs: number, certificate: string): boolean {
  const [block] = parsePem(decodeBase64Latin1(certificate) ?? '', { blocks: 1 }).blocks;
  const [issued] = block === undefined ? [] : certificatesIn(block.bytes);
  return (
    issued !== undefined && Math.abs(wantedMs - (issued.notAfter - issued.notBefore)) < TOLERANCE_MS + wantedMs / 20
  );
}
