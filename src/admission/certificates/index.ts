import type { Dialect } from '../../names/dialect.js';
import type { AdmissionPlugin } from '../../registry/admission.js';
import type { SignerRights } from './signer-rights.js';
import { certificateApproval, certificateSigning, clusterTrustBundleAttest } from './signers.js';
import { certificateSubjectRestriction } from './subject-restriction.js';

export type { SignerRights, SignerVerb } from './signer-rights.js';
export { certificateApproval, certificateSigning, certificateSubjectRestriction, clusterTrustBundleAttest };

/** The stages that keep certificates and trust bundles to those who may deal in them, in production's order. They look at what is about to be stored. */
export function certificateAdmission(dialect: Dialect, rights: SignerRights): readonly AdmissionPlugin[] {
  return [
    certificateApproval(rights),
    certificateSigning(rights),
    clusterTrustBundleAttest(rights),
    certificateSubjectRestriction(dialect),
  ];
}
