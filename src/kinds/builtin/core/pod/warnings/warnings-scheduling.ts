import type { Dialect, Steps, WarningList } from '../../../../../foundation/index.js';
import type { coreV1 } from '../../../../types/index.js';
import { deprecatedNodeLabel, warnOfNodeSelectorTerm } from '../../deprecated-node-labels.js';
import type { PodSpec } from '../types.js';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const MATCHES_NOTHING = 'a null labelSelector results in matching no pod';

/** Warns of deprecated labels of nodes, and of topology constraints that select no pod. */
export function* warnOfNodeLabels(warnings: WarningList, path: string, spec: PodSpec, dialect: Dialect): Steps<void> {
  for (const key in spec.nodeSelector) {
    if (warnings.spend()) yield;
    const text = deprecatedNodeLabel(key, dialect);
    if (text !== undefined) warnings.push(`${path}.nodeSelector[${key}]: ${text}`);
  }
  const { [REQUIRED]: selector, [PREFERRED]: preferred = [] } = spec.affinity?.nodeAffinity ?? {};
  const at = `${path}.affinity.nodeAffinity`;
  for (const [index, term] of (selector?.nodeSelectorTerms ?? []).entries())
    yield* warnOfNodeSelectorTerm(warnings, term, `${at}.${REQUIRED}.nodeSelectorTerms[${index}]`, dialect);
  for (const [index, { preference }] of preferred.entries())
    yield* warnOfNodeSelectorTerm(warnings, preference, `${at}.${PREFERRED}[${index}].preference`, dialect);
  for (const [index, { topologyKey, labelSelector }] of (spec.topologySpreadConstraints ?? []).entries()) {
    if (warnings.spend()) yield;
    const constraint = `${path}.topologySpreadConstraints[${index}]`;
    const text = deprecatedNodeLabel(topologyKey, dialect);
    if (text !== undefined) warnings.push(`${constraint}.topologyKey: ${topologyKey} is ${text}`);
    if (labelSelector === undefined) warnings.push(`${constraint}.labelSelector: ${MATCHES_NOTHING}`);
  }
}

/** Warns of terms without a selector: they select no pod. */
export function* warnOfAffinity(warnings: WarningList, path: string, affinity: coreV1.Affinity): Steps<void> {
  for (const side of ['podAffinity', 'podAntiAffinity'] as const) {
    const { [REQUIRED]: required = [], [PREFERRED]: preferred = [] } = affinity[side] ?? {};
    for (const [index, { labelSelector }] of required.entries()) {
      if (warnings.spend()) yield;
      if (labelSelector === undefined)
        warnings.push(`${path}.${side}.${REQUIRED}[${index}].labelSelector: ${MATCHES_NOTHING}`);
    }
    for (const [index, { podAffinityTerm }] of preferred.entries()) {
      if (warnings.spend()) yield;
      if (podAffinityTerm.labelSelector === undefined)
        warnings.push(`${path}.${side}.${PREFERRED}[${index}].podAffinityTerm.labelSelector: ${MATCHES_NOTHING}`);
    }
  }
}
