import type { AdmissionAttributes } from '../../registry/admission.js';

/** Kinds that no quota counts, since they come and go on their own. */
const UNCOUNTED: readonly string[] = ['events'];

/** Returns whether quotas can concern a request: those of its namespace, if there are any. */
export const concernsQuotas = (
  { subresource, namespace, operation, info }: AdmissionAttributes,
  quotas: { has(namespace: string): boolean },
): boolean =>
  subresource === '' &&
  namespace !== '' &&
  (operation === 'CREATE' || operation === 'UPDATE') &&
  quotas.has(namespace) &&
  !UNCOUNTED.includes(info.resource);
