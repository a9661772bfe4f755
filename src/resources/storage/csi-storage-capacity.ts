import { FieldErrorList } from '../../meta/field-error-list.js';
import { invalid } from '../../meta/field-error.js';
import type { storageV1 } from '../../kinds/index.js';
import type { Strategy } from '../../registry/strategy.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { deprecatedNodeLabel } from '../core/deprecated-node-labels.js';
import { immutableSelector, selectorErrors } from '../shared/label-selectors.js';
import { validateNonNegativeAmount } from '../shared/resource-names.js';
import { IMMUTABLE } from '../shared/validate.js';
import { UNSET, validateClassName } from '../shared/volume-class.js';

type Capacity = StoredKind<storageV1.CSIStorageCapacity>;

const PATH = 'nodeTopology';

const strategy: Strategy<Capacity> = {
  allowUnconditionalUpdate: false,
  *validate({ nodeTopology, storageClassName, capacity }, { work }, old) {
    const errors = new FieldErrorList(work);
    // The topology does not change, so an old one is not refused.
    if (old === undefined) yield* selectorErrors(errors, PATH, nodeTopology);
    validateClassName(errors, 'storageClassName', storageClassName);
    if (capacity !== undefined) validateNonNegativeAmount(errors, 'capacity', capacity);
    return errors;
  },
  validateUpdate(object, old) {
    const errors = new FieldErrorList();
    immutableSelector(errors, PATH, object.nodeTopology, old.nodeTopology);
    if (object.storageClassName !== old.storageClassName)
      errors.push(invalid('storageClassName', object.storageClassName, IMMUTABLE));
    return errors;
  },
  warnings({ nodeTopology }, _old, { dialect }) {
    const { matchExpressions = [], matchLabels = {} } = nodeTopology ?? {};
    return [
      ...matchExpressions.flatMap(({ key }, index) => {
        const words = deprecatedNodeLabel(key, dialect);
        return words === undefined ? [] : [`${PATH}.matchExpressions[${index}].key: ${key} is ${words}`];
      }),
      ...Object.keys(matchLabels).flatMap((key) => {
        const words = deprecatedNodeLabel(key, dialect);
        return words === undefined ? [] : [`${PATH}.matchLabels.${key}: ${words}`];
      }),
    ];
  },
};

/** What a CSIStorageCapacity means. */
export const csiStorageCapacityBehaviour: Behaviour<storageV1.CSIStorageCapacity> = {
  strategy,
  cells: {
    StorageClassName: ({ storageClassName }) => storageClassName,
    Capacity: ({ capacity }) => capacity ?? UNSET,
  },
};
