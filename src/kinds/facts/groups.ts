// Made by scripts/make-facts.js from the facts of release 1.31. Do not edit.

import type { SystemGroup } from '../../foundation/index.js';

/** The groups of the release in the order of discovery: clients prefer the first that has a resource. */
export const groupOrder: readonly (string | SystemGroup)[] = [
  '',
  { system: 'apiregistration' },
  'apps',
  { system: 'events' },
  { system: 'authentication' },
  { system: 'authorization' },
  'autoscaling',
  'batch',
  { system: 'certificates' },
  { system: 'networking' },
  'policy',
  { system: 'rbac.authorization' },
  { system: 'storage' },
  { system: 'admissionregistration' },
  { system: 'apiextensions' },
  { system: 'scheduling' },
  { system: 'coordination' },
  { system: 'node' },
  { system: 'discovery' },
  { system: 'resource' },
  { system: 'flowcontrol.apiserver' },
  { system: 'internal.apiserver' },
  { system: 'storagemigration' },
];

/** The beta versions that are served by default. All others are off by default, like alpha versions. */
export const enabledBetas: readonly { readonly group: string | SystemGroup; readonly version: string }[] = [
  { group: { system: 'flowcontrol.apiserver' }, version: 'v1beta3' },
];
