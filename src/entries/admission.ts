export {
  certificateAdmission,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
  type SignerRights,
  type SignerVerb,
} from '../admission/certificates/index.js';
export { AdmissionChain } from '../admission/chain.js';
export { firstNeed } from '../admission/first-need.js';
export { garbageCollectionTrigger } from '../admission/garbage-collection-trigger.js';
export { namespaceLifecycle, type NamespaceLookup } from '../admission/namespace-lifecycle.js';
export { nodeRestriction, type FoundObject, type NodeRestrictionOptions } from '../admission/node-restriction/index.js';
export type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../registry/verbs/admission.js';
