import {
  equalValueSteps,
  forbidden,
  invalid,
  type Dialect,
  type FieldErrorList,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import type { coreV1 } from '../../../types/index.js';
import { goDifference } from '../../shared/go/go-difference.js';
import { semanticallyEqualSteps } from '../../shared/go/semantic-equal.js';
import { IMMUTABLE, immutableField } from '../../shared/validate.js';
import { validateAttributesClassChange } from '../../shared/volume-class.js';
import { currentNodeLabel } from './renamed-labels.js';
import { SOURCES } from './validate-sources.js';

type Spec = coreV1.PersistentVolumeSpec;

/** The facts that the rules of a change depend on besides the two states. */
export interface VolumeUpdateRules {
  readonly dialect: Dialect;
  /** Whether the feature of `volumeAttributesClassName` is enabled. */
  readonly attributesClass: boolean;
}

/** Adds the errors of a change: the source, the mode and the node affinity are set once. */
export function* validateVolumeUpdate(
  errors: FieldErrorList,
  spec: Spec,
  old: Spec,
  { dialect, attributesClass }: VolumeUpdateRules,
): Steps<void> {
  const { work } = errors;
  const before = sourceOf(old);
  const now = withoutNewExpandSecret(sourceOf(spec), before);
  if (!(yield* semanticallyEqualSteps(now, before, work))) {
    const difference = yield* goDifference('core.PersistentVolumeSource', now, before, work);
    errors.push(
      forbidden(
        'spec.persistentvolumesource',
        `spec.persistentvolumesource is immutable after creation\n${difference}`,
      ),
    );
  }
  // Kubernetes reports these two paths without the spec.
  immutableField(errors, 'volumeMode', spec.volumeMode, old.volumeMode);
  if (
    old.nodeAffinity !== undefined &&
    !(yield* isSameAffinity(spec.nodeAffinity, old.nodeAffinity, dialect, work)) &&
    !(yield* equalValueSteps(spec.nodeAffinity, old.nodeAffinity, work))
  )
    errors.push(invalid('nodeAffinity', spec.nodeAffinity, IMMUTABLE));
  validateAttributesClassChange(errors, spec, old, attributesClass);
}

function sourceOf(spec: Spec): Pick<Spec, (typeof SOURCES)[number]> {
  return Object.fromEntries(SOURCES.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])));
}

/** Leaves out the secret for expansion of a CSI volume when the old source has none: it may be added later. */
function withoutNewExpandSecret<Source extends Pick<Spec, 'csi'>>(now: Source, before: Source): Source {
  if (now.csi === undefined || before.csi === undefined || before.csi.controllerExpandSecretRef !== undefined)
    return now;
  const { controllerExpandSecretRef: _added, ...csi } = now.csi;
  return { ...now, csi };
}

/** Returns whether the affinities are the same, apart from beta labels that were replaced by their current names. */
function* isSameAffinity(
  now: Spec['nodeAffinity'],
  before: coreV1.VolumeNodeAffinity,
  dialect: Dialect,
  work: Work,
): Steps<boolean> {
  const oldTerms = before.required?.nodeSelectorTerms;
  const terms = now?.required?.nodeSelectorTerms;
  if (oldTerms === undefined || terms === undefined) return yield* semanticallyEqualSteps(now, before, work);
  const renamed = oldTerms.map((term, index) => ({
    ...term,
    matchExpressions: term.matchExpressions?.map((requirement, position) => {
      const key = currentNodeLabel(requirement.key, dialect);
      return key !== undefined && terms[index]?.matchExpressions?.[position]?.key === key
        ? { ...requirement, key }
        : requirement;
    }),
  }));
  return yield* semanticallyEqualSteps(terms, renamed, work);
}
