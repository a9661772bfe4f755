import { FieldErrorList, type Steps, type Work } from '../../../../../foundation/index.js';
import { validateLabelSelector } from '../../../shared/selectors/validate-label-selector.js';
import type { PodSpec } from '../types.js';

type Selector = Parameters<typeof validateLabelSelector>[2];
type Term = { readonly labelSelector?: Selector | undefined; readonly namespaceSelector?: Selector | undefined };

function* isInvalid(selector: Selector, work: Work | undefined): Steps<boolean> {
  const errors = new FieldErrorList(work);
  if (errors.spend()) yield;
  yield* validateLabelSelector(errors, '', selector);
  return errors.length > 0;
}

function* isInvalidTerm({ labelSelector, namespaceSelector }: Term, work: Work | undefined): Steps<boolean> {
  return (yield* isInvalid(labelSelector, work)) || (yield* isInvalid(namespaceSelector, work));
}

/** Returns whether a term of the affinity to pods has an invalid selector. */
export function* hasInvalidAffinitySelectors({ affinity }: PodSpec, work: Work | undefined): Steps<boolean> {
  for (const side of [affinity?.podAffinity, affinity?.podAntiAffinity]) {
    for (const term of side?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
      if (yield* isInvalidTerm(term, work)) return true;
    for (const { podAffinityTerm } of side?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
      if (yield* isInvalidTerm(podAffinityTerm, work)) return true;
  }
  return false;
}

/** Returns whether a topology spread constraint has an invalid selector. */
export function* hasInvalidSpreadSelectors(
  { topologySpreadConstraints = [] }: PodSpec,
  work: Work | undefined,
): Steps<boolean> {
  for (const { labelSelector } of topologySpreadConstraints) if (yield* isInvalid(labelSelector, work)) return true;
  return false;
}
