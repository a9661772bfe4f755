import {
  appendErrors,
  checkAnnotations,
  checkLabels,
  equalValueSteps,
  FieldErrorList,
  forbidden,
  type ObjectMeta,
  type Steps,
} from '../../../foundation/index.js';
import type { resourceV1alpha3 } from '../../types/index.js';
import type { Behaviour } from '../behaviour.js';
import { loadExpressions } from '../shared/expressions.js';
import { immutableFieldSteps } from '../shared/validate.js';
import { DeviceExpressions, hasSelectors } from './device-expressions.js';
import { setRequestDefaults, validateClaimSpec } from './validate-claim.js';

/** Fields of metadata that a template cannot set, and their names in errors of Kubernetes, in its order. */
const FIXED_METADATA = [
  ['name', 'Name'],
  ['generateName', 'GenerateName'],
  ['namespace', 'Namespace'],
  ['selfLink', 'SelfLink'],
  ['uid', 'UID'],
  ['resourceVersion', 'ResourceVersion'],
  ['generation', 'Generation'],
  ['creationTimestamp', 'CreationTimestamp'],
  ['deletionTimestamp', 'DeletionTimestamp'],
  ['deletionGracePeriodSeconds', 'DeletionGracePeriodSeconds'],
  ['ownerReferences', 'OwnerReferences'],
  ['finalizers', 'Finalizers'],
  ['managedFields', 'ManagedFields'],
] as const;

const isSet = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '' && value !== 0;

/** Adds the errors of the metadata of future claims: only labels and annotations. */
function* metadataErrors(errors: FieldErrorList, path: string, metadata: ObjectMeta): Steps<void> {
  appendErrors(errors, yield* checkAnnotations(metadata.annotations, `${path}.annotations`, errors.work));
  appendErrors(errors, yield* checkLabels(metadata.labels, `${path}.labels`, errors.work));
  for (const [field, name] of FIXED_METADATA)
    if (isSet(metadata[field])) errors.push(forbidden(`${path}.${name}`, 'cannot be set'));
}

/** Templates of claims, for pods that need claims of their own. */
export const resourceClaimTemplate: Behaviour<resourceV1alpha3.ResourceClaimTemplate> = {
  strategy: {
    load: ({ spec }) => (hasSelectors(spec?.spec?.devices?.requests) ? loadExpressions() : undefined),
    defaults: ({ spec }) => setRequestDefaults(spec?.spec),
    prepareForCreate({ spec }, { featureGates }) {
      if (spec?.spec !== undefined && !featureGates.enabled('DRAControlPlaneController')) delete spec.spec.controller;
    },
    *validate({ spec }, { dialect, work }, old) {
      const errors = new FieldErrorList(work);
      if (old !== undefined && (yield* equalValueSteps(spec, old.spec, work))) return errors;
      yield* metadataErrors(errors, 'spec.metadata', spec.metadata ?? {});
      yield* validateClaimSpec(errors, 'spec.spec', spec.spec, new DeviceExpressions(dialect));
      return errors;
    },
    *validateUpdate({ spec }, old, { work }) {
      const errors = new FieldErrorList(work);
      yield* immutableFieldSteps(errors, 'spec', spec, old.spec);
      return errors;
    },
  },
};
