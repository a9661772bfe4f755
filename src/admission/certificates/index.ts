import type { Dialect } from '../../foundation/index.js';
import type { AdmissionPlugin } from '../../registry/index.js';
import type { SignerRights } from './signer-rights.js';
import { certificateApproval, certificateSigning, clusterTrustBundleAttest } from './signers.js';
import { certificateSubjectRestriction } from './subject-restriction.js';

export type { SignerRights, SignerVerb } from './signer-rights.js';
export { certificateApproval, certificateSigning, certificateSubjectRestriction, clusterTrustBundleAttest };

/**
 * Returns the admission plugins that check rights on certificates and trust bundles, in the order of Kubernetes. They
 * validate the object to store.
 */
export function certificateAdmission(dialect: Dialect, rights: SignerRights): readonly AdmissionPlugin[] {
  return [
    certificateApproval(rights),
    certificateSigning(rights),
    clusterTrustBundleAttest(rights),
    certificateSubjectRestriction(dialect),
  ];
}
