export {
  certificateAdmission,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
  type SignerRights,
  type SignerVerb,
} from '../admission/index.js';
export { AdmissionChain } from '../admission/index.js';
export { firstNeed } from '../admission/index.js';
export { garbageCollectionTrigger } from '../admission/index.js';
export { namespaceLifecycle, type NamespaceLookup } from '../admission/index.js';
export { nodeRestriction, type FoundObject, type NodeRestrictionOptions } from '../admission/index.js';
export type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../registry/index.js';
