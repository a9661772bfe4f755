// Made by scripts/make-facts.js from the facts of release 1.31. Do not edit.

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
    load: async () => ({ types: (await import('./data/small.js')).packages['admissionregistration.v1alpha1'] }),
    uses: ['admissionregistration.v1', 'meta.v1'],
  },
  'admissionregistration.v1beta1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['admissionregistration.v1beta1'] }),
    uses: ['admissionregistration.v1', 'meta.v1'],
  },
  'apiregistration.v1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['apiregistration.v1'] }),
    uses: [],
  },
  'apiserverinternal.v1alpha1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['apiserverinternal.v1alpha1'] }),
    uses: [],
  },
  'apps.v1': { load: () => import('./data/apps-v1.js'), uses: ['core.v1', 'meta.v1'] },
  'authentication.v1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['authentication.v1'] }),
    uses: [],
  },
  'authentication.v1alpha1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['authentication.v1alpha1'] }),
    uses: ['authentication.v1'],
  },
  'authentication.v1beta1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['authentication.v1beta1'] }),
    uses: ['authentication.v1'],
  },
  'authorization.v1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['authorization.v1'] }),
    uses: ['meta.v1'],
  },
  'autoscaling.v1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['autoscaling.v1'] }),
    uses: [],
  },
  'autoscaling.v2': { load: () => import('./data/autoscaling-v2.js'), uses: [] },
  'batch.v1': { load: () => import('./data/batch-v1.js'), uses: ['core.v1', 'meta.v1'] },
  'certificates.v1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['certificates.v1'] }),
    uses: [],
  },
  'certificates.v1alpha1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['certificates.v1alpha1'] }),
    uses: [],
  },
  'coordination.v1alpha1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['coordination.v1alpha1'] }),
    uses: [],
  },
  'core.v1': { load: () => import('./data/core-v1.js'), uses: ['meta.v1'] },
  'discovery.v1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['discovery.v1'] }),
    uses: [],
  },
  'events.v1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['events.v1'] }),
    uses: ['core.v1', 'meta.v1'],
  },
  'flowcontrol.v1': { load: () => import('./data/flowcontrol-v1.js'), uses: [] },
  'flowcontrol.v1beta3': { load: () => import('./data/flowcontrol-v1beta3.js'), uses: [] },
  'meta.v1': { load: async () => ({ types: (await import('./data/small.js')).packages['meta.v1'] }), uses: [] },
  'networking.v1': { load: () => import('./data/networking-v1.js'), uses: ['core.v1', 'meta.v1'] },
  'networking.v1beta1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['networking.v1beta1'] }),
    uses: ['meta.v1'],
  },
  'node.v1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['node.v1'] }),
    uses: ['core.v1', 'meta.v1'],
  },
  'policy.v1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['policy.v1'] }),
    uses: ['meta.v1'],
  },
  'resource.v1alpha3': { load: () => import('./data/resource-v1alpha3.js'), uses: ['core.v1', 'meta.v1'] },
  'scheduling.v1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['scheduling.v1'] }),
    uses: [],
  },
  'storage.v1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['storage.v1'] }),
    uses: ['core.v1', 'meta.v1'],
  },
  'storage.v1alpha1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['storage.v1alpha1'] }),
    uses: [],
  },
  'storage.v1beta1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['storage.v1beta1'] }),
    uses: [],
  },
  'storagemigration.v1alpha1': {
    load: async () => ({ types: (await import('./data/small.js')).packages['storagemigration.v1alpha1'] }),
    uses: [],
  },
};
