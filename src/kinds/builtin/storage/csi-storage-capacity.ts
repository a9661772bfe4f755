import { FieldErrorList, invalid, WarningList } from '../../../foundation/index.js';
import type { Strategy } from '../../../registry/index.js';
import type { storageV1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { deprecatedNodeLabel, warnOfRequirements } from '../core/deprecated-node-labels.js';
import { validateNonNegativeAmount } from '../shared/resource-names.js';
import { immutableSelector, selectorErrors } from '../shared/selectors/label-selectors.js';
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
  *validateUpdate(object, old, { work }) {
    const errors = new FieldErrorList(work);
    yield* immutableSelector(errors, PATH, object.nodeTopology, old.nodeTopology);
    if (object.storageClassName !== old.storageClassName)
      errors.push(invalid('storageClassName', object.storageClassName, IMMUTABLE));
    return errors;
  },
  *warnings({ nodeTopology }, _old, { dialect, work }) {
    const { matchExpressions, matchLabels = {} } = nodeTopology ?? {};
    const warnings = new WarningList(work);
    yield* warnOfRequirements(warnings, matchExpressions, `${PATH}.matchExpressions`, dialect);
    for (const key in matchLabels) {
      if (warnings.spend()) yield;
      const words = deprecatedNodeLabel(key, dialect);
      if (words !== undefined) warnings.push(`${PATH}.matchLabels.${key}: ${words}`);
    }
    return warnings;
  },
};

/** The behaviour of CSIStorageCapacities. */
export const csiStorageCapacityBehaviour: Behaviour<storageV1.CSIStorageCapacity> = {
  strategy,
  cells: {
    StorageClassName: ({ storageClassName }) => storageClassName,
    Capacity: ({ capacity }) => capacity ?? UNSET,
  },
};
