import type { AdmissionAttributes } from '../../../registry/index.js';
import type { LimitedResource } from './quota-options.js';

/** Kinds that no quota counts, since they come and go on their own. */
const UNCOUNTED: readonly string[] = ['events'];

/**
 * Returns whether quotas can concern a request: those of its namespace, if there are any, or that there is none for
 * something that needs one.
 */
export const concernsQuotas = (
  { subresource, namespace, operation, info }: AdmissionAttributes,
  quotas: { has(namespace: string): boolean },
  limited: readonly LimitedResource[],
): boolean =>
  subresource === '' &&
  namespace !== '' &&
  (operation === 'CREATE' || operation === 'UPDATE') &&
  (limited.length > 0 || quotas.has(namespace)) &&
  !UNCOUNTED.includes(info.resource);
