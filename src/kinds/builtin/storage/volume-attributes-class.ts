import { equalJson, FieldErrorList, forbidden, required } from '../../../foundation/index.js';
import type { Strategy } from '../../../registry/index.js';
import type { storageV1alpha1, storageV1beta1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { sameFields } from '../shared/same-fields.js';
import { isMarkedDefault, validateParameters, validateProvisioner } from './validate-class.js';

type Class = StoredKind<storageV1beta1.VolumeAttributesClass>;

const DEFAULT_CLASS = /^volumeattributesclass\.alpha\.[^/]*\/is-default-class$/;

const strategy: Strategy<Class> = {
  *validate({ driverName, parameters = {} }, { work }) {
    const errors = new FieldErrorList(work);
    validateProvisioner(errors, 'driverName', driverName);
    yield* validateParameters(errors, 'parameters', parameters);
    if (Object.keys(parameters).length === 0)
      errors.push(required('parameters', 'must contain at least one key/value pair'));
    return errors;
  },
  validateUpdate(object, old) {
    const errors = new FieldErrorList();
    for (const field of ['driverName', 'parameters'] as const)
      if (!equalJson(object[field], old[field])) errors.push(forbidden(field, `updates to ${field} are forbidden.`));
    return errors;
  },
};

/** The behaviour of VolumeAttributesClasses. Both versions have the same fields. */
export const volumeAttributesClassBehaviour: Behaviour<storageV1beta1.VolumeAttributesClass> &
  Behaviour<storageV1alpha1.VolumeAttributesClass> = {
  strategy,
  conversion: sameFields<storageV1beta1.VolumeAttributesClass>(),
  cells: {
    Name: ({ metadata }) => `${metadata.name ?? ''}${isMarkedDefault(metadata, DEFAULT_CLASS) ? ' (default)' : ''}`,
    DriverName: ({ driverName }) => driverName,
  },
};
