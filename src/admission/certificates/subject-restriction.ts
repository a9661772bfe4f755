import { decodeBase64Latin1, messageOf, type Dialect } from '../../foundation/index.js';
import { CertificateSigningRequest, type CertificateSigningRequestFields } from '../../kinds/index.js';
import type { AdmissionPlugin } from '../../registry/index.js';
import { readCertificateRequestPem, type CertificateRequest } from '../../security/index.js';
import { admissionRefusal } from '../refusal.js';

/** Group whose members bypass authorization. */
const MASTERS = 'system:masters';

/**
 * Refuses requests for certificates of `system:masters` from the signer of API clients: such a certificate could not be
 * revoked.
 */
export function certificateSubjectRestriction({ signers }: Dialect): AdmissionPlugin {
  return {
    name: 'CertificateSubjectRestriction',
    kinds: [CertificateSigningRequest],
    operations: ['CREATE'],
    validate(attributes) {
      const { subresource, object } = attributes;
      if (object === undefined || subresource !== '') return;
      const { spec } = object as typeof object & CertificateSigningRequestFields;
      if (spec.signerName !== signers.apiServerClient) return;
      let request: CertificateRequest;
      try {
        request = readCertificateRequestPem(decodeBase64Latin1(spec.request) ?? '');
      } catch (error) {
        throw admissionRefusal(attributes, `failed to parse CSR: ${messageOf(error)}`);
      }
      if (request.subject.organizations.includes(MASTERS))
        throw admissionRefusal(
          attributes,
          `use of ${signers.apiServerClient} signer with ${MASTERS} group is not allowed`,
        );
    },
  };
}
