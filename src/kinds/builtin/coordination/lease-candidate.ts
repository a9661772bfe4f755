import {
  compareSemanticVersions,
  FieldErrorList,
  invalid,
  parseSemanticVersion,
  required,
  type FieldError,
  type SemanticVersion,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { coordinationV1alpha1 } from '../../types/index.js';
import type { Behaviour } from '../behaviour.js';
import { configMapKey } from '../shared/config-data.js';
import { immutableField } from '../shared/validate.js';
import { OLDEST_EMULATION_VERSION, validateStrategy } from './validate-strategy.js';

type Spec = coordinationV1alpha1.LeaseCandidateSpec;

const NO_VERSION: SemanticVersion = { numbers: [0n, 0n, 0n], preRelease: [] };
const FOR_OLDEST = `must be specified when \`strategy\` is '${OLDEST_EMULATION_VERSION}'`;

/** Returns a version; 0.0.0 for an absent or invalid one. */
function versionOf(errors: FieldError[], path: string, text: string): SemanticVersion {
  if (text === '') return NO_VERSION;
  const version = parseSemanticVersion(text);
  if (version === undefined) errors.push(invalid(path, text, 'must be a valid semantic version'));
  return version ?? NO_VERSION;
}

const isZero = (version: SemanticVersion): boolean => compareSemanticVersions(version, NO_VERSION) === 0;

function* specErrors(spec: Spec, work: Work | undefined): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  const { leaseName, binaryVersion = '', emulationVersion = '' } = spec;
  // An empty list is not written.
  const preferredStrategies: readonly string[] = spec.preferredStrategies ?? [];
  if (leaseName === '') errors.push(required('spec.leaseName'));
  const emulation = versionOf(errors, 'spec.emulationVersion', emulationVersion);
  const binary = versionOf(errors, 'spec.binaryVersion', binaryVersion);
  if (binaryVersion !== '' && emulationVersion !== '' && compareSemanticVersions(binary, emulation) < 0)
    errors.push(invalid('spec.binaryVersion', binaryVersion, 'must be greater than or equal to `emulationVersion`'));
  if (preferredStrategies.length === 0)
    errors.push(required('spec.preferredStrategies', 'must contain at least one strategy'));
  for (const [index, strategy] of preferredStrategies.entries()) {
    if (errors.spend()) yield;
    if (strategy === OLDEST_EMULATION_VERSION) {
      if (isZero(binary)) errors.push(required('spec.binaryVersion', FOR_OLDEST));
      if (isZero(emulation)) errors.push(required('spec.emulationVersion', FOR_OLDEST));
    }
    validateStrategy(errors, `spec.preferredStrategies[${index}]`, strategy);
  }
  return errors;
}

/** Candidates for a lease in coordinated leader election. */
export const leaseCandidate: Behaviour<coordinationV1alpha1.LeaseCandidate> = {
  strategy: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    nameRule: configMapKey,
    validate: ({ spec }, { work }) => (spec === undefined ? [] : specErrors(spec, work)),
    validateUpdate({ spec }, old) {
      const errors = new FieldErrorList();
      immutableField(errors, 'spec.leaseName', spec?.leaseName ?? '', old.spec?.leaseName ?? '');
      return errors;
    },
  },
  cells: {
    LeaseName: ({ spec }) => spec?.leaseName ?? '',
    BinaryVersion: ({ spec }) => spec?.binaryVersion ?? '',
    EmulationVersion: ({ spec }) => spec?.emulationVersion ?? '',
  },
};
