import { FieldErrorList } from '../../../meta/field-error-list.js';
import { validateLabelSelector } from '../../shared/validate-label-selector.js';
import type { PodSpec } from './types.js';

type Selector = Parameters<typeof validateLabelSelector>[2];

function isInvalid(selector: Selector): boolean {
  const errors = new FieldErrorList();
  validateLabelSelector(errors, '', selector);
  return errors.length > 0;
}

/** Returns whether a term of the affinity to pods has an invalid selector. */
export function hasInvalidAffinitySelectors({ affinity }: PodSpec): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some((side) => {
    const preferred = side?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const terms = [
      ...(side?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...preferred.map(({ podAffinityTerm }) => podAffinityTerm),
    ];
    return terms.some((term) => isInvalid(term.labelSelector) || isInvalid(term.namespaceSelector));
  });
}

/** Returns whether a topology spread constraint has an invalid selector. */
export const hasInvalidSpreadSelectors = ({ topologySpreadConstraints = [] }: PodSpec): boolean =>
  topologySpreadConstraints.some(({ labelSelector }) => isInvalid(labelSelector));
