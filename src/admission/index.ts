export {
  certificateAdmission,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
  type SignerRights,
  type SignerVerb,
} from './certificates/index.js';
export { AdmissionChain } from './chain.js';
export { firstNeed } from './first-need.js';
export { garbageCollectionTrigger } from './garbage-collection-trigger.js';
export { namespaceLifecycle, type NamespaceLookup } from './namespace-lifecycle.js';
export { nodeRestriction, type FoundObject, type NodeRestrictionOptions } from './node-restriction/index.js';
export type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../registry/admission.js';
