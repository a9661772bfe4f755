// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

/** A package of object types. */
export interface TypePackage {
  load(): Promise<{ readonly types: string }>;
  /** The packages that its types refer to. */
  readonly uses: readonly string[];
}

/** The packages of object types, by name. */
export const typePackages: Readonly<Record<string, TypePackage>> = {
  'admissionregistration.v1': { load: () => import('./data/admissionregistration-v1.js'), uses: ['meta.v1'] },
  'admissionregistration.v1alpha1': {
    load: () => import('./data/admissionregistration-v1alpha1.js'),
    uses: ['admissionregistration.v1', 'meta.v1'],
  },
  'admissionregistration.v1beta1': {
    load: () => import('./data/admissionregistration-v1beta1.js'),
    uses: ['admissionregistration.v1', 'meta.v1'],
  },
  'apiregistration.v1': { load: () => import('./data/apiregistration-v1.js'), uses: [] },
  'apiserverinternal.v1alpha1': { load: () => import('./data/apiserverinternal-v1alpha1.js'), uses: [] },
  'apps.v1': { load: () => import('./data/apps-v1.js'), uses: ['core.v1', 'meta.v1'] },
  'authentication.v1': { load: () => import('./data/authentication-v1.js'), uses: [] },
  'authentication.v1alpha1': { load: () => import('./data/authentication-v1alpha1.js'), uses: ['authentication.v1'] },
  'authentication.v1beta1': { load: () => import('./data/authentication-v1beta1.js'), uses: ['authentication.v1'] },
  'authorization.v1': { load: () => import('./data/authorization-v1.js'), uses: ['meta.v1'] },
  'autoscaling.v1': { load: () => import('./data/autoscaling-v1.js'), uses: [] },
  'autoscaling.v2': { load: () => import('./data/autoscaling-v2.js'), uses: [] },
  'batch.v1': { load: () => import('./data/batch-v1.js'), uses: ['core.v1', 'meta.v1'] },
  'certificates.v1': { load: () => import('./data/certificates-v1.js'), uses: [] },
  'certificates.v1alpha1': { load: () => import('./data/certificates-v1alpha1.js'), uses: [] },
  'coordination.v1alpha1': { load: () => import('./data/coordination-v1alpha1.js'), uses: [] },
  'core.v1': { load: () => import('./data/core-v1.js'), uses: ['meta.v1'] },
  'discovery.v1': { load: () => import('./data/discovery-v1.js'), uses: [] },
  'events.v1': { load: () => import('./data/events-v1.js'), uses: ['core.v1', 'meta.v1'] },
  'flowcontrol.v1': { load: () => import('./data/flowcontrol-v1.js'), uses: [] },
  'flowcontrol.v1beta3': { load: () => import('./data/flowcontrol-v1beta3.js'), uses: [] },
  'meta.v1': { load: () => import('./data/meta-v1.js'), uses: [] },
  'networking.v1': { load: () => import('./data/networking-v1.js'), uses: ['core.v1', 'meta.v1'] },
  'networking.v1beta1': { load: () => import('./data/networking-v1beta1.js'), uses: ['meta.v1'] },
  'node.v1': { load: () => import('./data/node-v1.js'), uses: ['core.v1', 'meta.v1'] },
  'policy.v1': { load: () => import('./data/policy-v1.js'), uses: ['meta.v1'] },
  'resource.v1alpha3': { load: () => import('./data/resource-v1alpha3.js'), uses: ['core.v1', 'meta.v1'] },
  'scheduling.v1': { load: () => import('./data/scheduling-v1.js'), uses: [] },
  'storage.v1': { load: () => import('./data/storage-v1.js'), uses: ['core.v1', 'meta.v1'] },
  'storage.v1alpha1': { load: () => import('./data/storage-v1alpha1.js'), uses: [] },
  'storage.v1beta1': { load: () => import('./data/storage-v1beta1.js'), uses: [] },
  'storagemigration.v1alpha1': { load: () => import('./data/storagemigration-v1alpha1.js'), uses: [] },
};
