import type { PodSpec } from './types.js';

type Affinity = NonNullable<NonNullable<PodSpec['affinity']>['podAffinity']>;
type Term = NonNullable<Affinity['requiredDuringSchedulingIgnoredDuringExecution']>[number];
type Labels = Readonly<Record<string, string>>;

/** Adds requirements for the pod's own values of the keys. Keys without a label are ignored (KEP-3633). */
function addConditions(
  term: Term,
  keys: readonly string[] | undefined,
  operator: 'In' | 'NotIn',
  labels: Labels,
): void {
  const { labelSelector } = term;
  if (labelSelector === undefined || keys === undefined) return;
  const conditions = keys.flatMap((key) =>
    labels[key] === undefined ? [] : [{ key, operator, values: [labels[key]] }],
  );
  if (conditions.length > 0)
    labelSelector.matchExpressions = [...(labelSelector.matchExpressions ?? []), ...conditions];
}

/** Expands `matchLabelKeys` and `mismatchLabelKeys` of a new pod into its selectors, in place. */
export function expandLabelKeys({ affinity }: PodSpec, labels: Labels): void {
  for (const side of [affinity?.podAffinity, affinity?.podAntiAffinity]) {
    const preferred = side?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const term of [
      ...(side?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...preferred.map(({ podAffinityTerm }) => podAffinityTerm),
    ]) {
      addConditions(term, term.matchLabelKeys, 'In', labels);
      addConditions(term, term.mismatchLabelKeys, 'NotIn', labels);
    }
  }
}
