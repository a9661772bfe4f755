export { AdmissionChain } from './chain.js';
export { namespaceLifecycle, type NamespaceLookup } from './namespace-lifecycle.js';
export type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../registry/admission.js';
