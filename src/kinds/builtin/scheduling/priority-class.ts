import { FieldErrorList, forbidden } from '../../../foundation/index.js';
import type { Strategy } from '../../../registry/index.js';
import type { schedulingV1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { mandatory, oneOf, whereSet } from '../shared/field-rules.js';
import { immutableField } from '../shared/validate.js';
import { MAX_USER_VALUE, SYSTEM_PREFIX, systemClassProblem } from './system-classes.js';

const preemptionPolicyRule = whereSet(mandatory(oneOf(['PreemptLowerPriority', 'Never'])));

const strategy: Strategy<StoredKind<schedulingV1.PriorityClass>> = {
  prepareForCreate({ metadata }) {
    metadata.generation = 1;
  },
  validate(object) {
    const errors = new FieldErrorList();
    const { name = '' } = object.metadata;
    const { value, preemptionPolicy } = object;
    if (name.startsWith(SYSTEM_PREFIX)) {
      const problem = systemClassProblem(name, object);
      if (problem !== undefined)
        errors.push(
          forbidden(
            'metadata.name',
            `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${problem}`,
          ),
        );
    } else if (value > MAX_USER_VALUE)
      errors.push(forbidden('value', `maximum allowed value of a user defined priority is ${MAX_USER_VALUE}`));
    preemptionPolicyRule(errors, 'preemptionPolicy', preemptionPolicy);
    return errors;
  },
  validateUpdate(object, old) {
    const errors = new FieldErrorList();
    if (object.value !== old.value) errors.push(forbidden('value', 'may not be changed in an update.'));
    immutableField(errors, 'preemptionPolicy', object.preemptionPolicy, old.preemptionPolicy);
    return errors;
  },
};

/** The behaviour of PriorityClasses. */
export const priorityClassBehaviour: Behaviour<schedulingV1.PriorityClass> = {
  strategy,
  cells: {
    Value: ({ value }) => value,
    'Global-Default': ({ globalDefault }) => globalDefault ?? false,
  },
};
