import type { StoredObject } from '../meta/object.js';
import type { Dialect } from '../names/dialect.js';
import { parsePem } from '../encoding/pem.js';
import { certificatesIn } from '../resources/certificates/issued-certificate.js';
import type { CertificateSigningRequestFields } from '../resources/index.js';
import type { MetricOptions, Metrics } from '../server/metrics.js';
import type { UpdateObserver } from '../server/resource-operations.js';

/** What a certificate may be shorter or longer than was asked for, beside a twentieth of it: for one that is valid from a little earlier. */
const TOLERANCE_MS = 5 * 60_000;

/**
 * Counts certificates that were issued to requests which asked for a duration, and those that have it.
 */
export function certificateDurations(metrics: Metrics, { labelDomain }: Dialect): UpdateObserver {
  const sliced = `sliced by signer (only ${labelDomain} signer names are specifically identified)`;
  const counter = (name: string, what: string): MetricOptions => ({
    name: `apiserver_certificates_registry_${name}_total`,
    help: `Total number of issued CSRs with a requested duration${what}, ${sliced}`,
  });
  const requested = counter('csr_requested_duration', '');
  const honored = counter('csr_honored_duration', ' that was honored');
  return (object, old) => {
    const { status } = requestOf(object);
    const { spec, status: before } = requestOf(old);
    const { certificate = '' } = status;
    if (spec.expirationSeconds === undefined || certificate === '' || (before.certificate ?? '') !== '') return;
    // Whoever asks may make up signers without end.
    const labels = { signerName: spec.signerName.startsWith(`${labelDomain}/`) ? spec.signerName : 'other' };
    metrics.counter(requested).add(1, labels);
    if (isHonored(spec.expirationSeconds * 1000, certificate)) metrics.counter(honored).add(1, labels);
  };
}

// Observers of the kind are told of objects of the kind.
const requestOf = (object: StoredObject): CertificateSigningRequestFields =>
  object as StoredObject & CertificateSigningRequestFields;

/** @param certificate base64 of PEM, validated */
function isHonored(wantedMs: number, certificate: string): boolean {
  const [block] = parsePem(atob(certificate)).blocks;
  const [issued] = block === undefined ? [] : certificatesIn(block.bytes);
  return (
    issued !== undefined && Math.abs(wantedMs - (issued.notAfter - issued.notBefore)) < TOLERANCE_MS + wantedMs / 20
  );
}
