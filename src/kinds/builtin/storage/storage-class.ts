import {
  compareText,
  duplicate,
  equalJson,
  FieldErrorList,
  forbidden,
  invalid,
  notSupported,
  qualifiedName,
  required,
  sortedSteps,
  WarningList,
  type Steps,
} from '../../../foundation/index.js';
import type { Strategy } from '../../../registry/index.js';
import type { coreV1, storageV1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { warnOfRequirements } from '../core/deprecated-node-labels.js';
import { immutableField } from '../shared/validate.js';
import { isMarkedDefault, validateParameters, validateProvisioner } from './validate-class.js';

type Class = StoredKind<storageV1.StorageClass>;

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];
const DEFAULT_CLASS = /^storageclass\.(beta\.)?[^/]*\/is-default-class$/;

/** Validates a term of the topologies, and returns its values by key, sorted, for the search of duplicates. */
function* validateTerm(
  errors: FieldErrorList,
  path: string,
  { matchLabelExpressions: expressions = [] }: coreV1.TopologySelectorTerm,
): Steps<Map<string, readonly string[]>> {
  const byKey = new Map<string, readonly string[]>();
  for (const [index, { key, values }] of expressions.entries()) {
    if (errors.spend()) yield;
    const at = `${path}.matchLabelExpressions[${index}]`;
    if (values.length === 0) errors.push(required(`${at}.values`));
    const distinct = new Set<string>();
    for (const [position, value] of values.entries()) {
      if (errors.spend()) yield;
      if (distinct.has(value)) errors.push(duplicate(`${at}.values[${position}]`, value));
      distinct.add(value);
    }
    for (const problem of qualifiedName(key)) errors.push(invalid(`${at}.key`, key, problem));
    if (byKey.has(key)) errors.push(duplicate(`${at}.key`, key));
    byKey.set(key, yield* sortedSteps([...distinct], compareText, errors.work));
  }
  return byKey;
}

function* validateTopologies(
  errors: FieldErrorList,
  path: string,
  terms: readonly coreV1.TopologySelectorTerm[],
): Steps<void> {
  const seen = new Set<string>();
  for (const [index, term] of terms.entries()) {
    if (errors.spend()) yield;
    const byKey = yield* validateTerm(errors, `${path}[${index}]`, term);
    const keys = yield* sortedSteps([...byKey.keys()], compareText, errors.work);
    const parts: string[] = [];
    for (const key of keys) {
      if (errors.spend()) yield;
      parts.push(JSON.stringify([key, byKey.get(key)]));
    }
    const identity = parts.join();
    if (seen.has(identity)) errors.push(duplicate(`${path}[${index}].matchLabelExpressions`, ''));
    seen.add(identity);
  }
}

const strategy: Strategy<Class> = {
  *validate({ provisioner, parameters, reclaimPolicy = '', volumeBindingMode, allowedTopologies = [] }, { work }) {
    const errors = new FieldErrorList(work);
    validateProvisioner(errors, 'provisioner', provisioner);
    yield* validateParameters(errors, 'parameters', parameters);
    if (reclaimPolicy !== '' && !RECLAIM_POLICIES.includes(reclaimPolicy))
      errors.push(notSupported('reclaimPolicy', reclaimPolicy, RECLAIM_POLICIES));
    if (volumeBindingMode === undefined) errors.push(required('volumeBindingMode'));
    else if (!BINDING_MODES.includes(volumeBindingMode))
      errors.push(notSupported('volumeBindingMode', volumeBindingMode, BINDING_MODES));
    yield* validateTopologies(errors, 'allowedTopologies', allowedTopologies);
    return errors;
  },
  validateUpdate(object, old) {
    const errors = new FieldErrorList();
    for (const field of ['parameters', 'provisioner', 'reclaimPolicy'] as const)
      if (!equalJson(object[field], old[field])) errors.push(forbidden(field, `updates to ${field} are forbidden.`));
    immutableField(errors, 'volumeBindingMode', object.volumeBindingMode, old.volumeBindingMode);
    return errors;
  },
  *warnings({ allowedTopologies = [] }, _old, { dialect, work }) {
    const warnings = new WarningList(work);
    for (const [index, { matchLabelExpressions }] of allowedTopologies.entries())
      yield* warnOfRequirements(
        warnings,
        matchLabelExpressions,
        `allowedTopologies[${index}].matchLabelExpressions`,
        dialect,
      );
    return warnings;
  },
};

/** The behaviour of StorageClasses. */
export const storageClassBehaviour: Behaviour<storageV1.StorageClass> = {
  strategy,
  cells: {
    Name: ({ metadata }) => `${metadata.name ?? ''}${isMarkedDefault(metadata, DEFAULT_CLASS) ? ' (default)' : ''}`,
    Provisioner: ({ provisioner }) => provisioner,
    ReclaimPolicy: ({ reclaimPolicy }) => reclaimPolicy ?? 'Delete',
    VolumeBindingMode: ({ volumeBindingMode }) => volumeBindingMode ?? 'Immediate',
    AllowVolumeExpansion: ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false,
  },
};
