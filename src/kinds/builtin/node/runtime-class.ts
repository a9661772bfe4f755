import { appendErrors, checkLabels, dnsLabelErrors, FieldErrorList, WarningList } from '../../../foundation/index.js';
import type { Strategy } from '../../../registry/index.js';
import type { nodeV1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { deprecatedNodeLabel } from '../core/deprecated-node-labels.js';
import { ClaimNames } from '../core/pod/validate/claim-names.js';
import { validateResources } from '../core/pod/validate/validate-resources.js';
import { validateTolerations } from '../core/pod/validate/validate-tolerations.js';
import { immutableField, nameErrors } from '../shared/validate.js';

const strategy: Strategy<StoredKind<nodeV1.RuntimeClass>> = {
  allowUnconditionalUpdate: false,
  *validate({ handler, overhead, scheduling }, { dialect, work }) {
    const errors = new FieldErrorList(work);
    nameErrors(errors, 'handler', handler, dnsLabelErrors(handler));
    if (overhead?.podFixed !== undefined) {
      const rules = { dialect, allowsIndivisibleHugePages: false };
      yield* validateResources(errors, 'overhead', { limits: overhead.podFixed }, rules, new ClaimNames());
    }
    appendErrors(errors, yield* checkLabels(scheduling?.nodeSelector, 'scheduling.nodeSelector', errors.work));
    yield* validateTolerations(errors, 'scheduling.tolerations', scheduling?.tolerations ?? []);
    return errors;
  },
  validateUpdate(object, old) {
    const errors = new FieldErrorList();
    immutableField(errors, 'handler', object.handler, old.handler);
    return errors;
  },
  *warnings({ scheduling }, _old, { dialect, work }) {
    const warnings = new WarningList(work);
    for (const key in scheduling?.nodeSelector) {
      if (warnings.spend()) yield;
      const words = deprecatedNodeLabel(key, dialect);
      if (words !== undefined) warnings.push(`scheduling.nodeSelector: ${words}`);
    }
    return warnings;
  },
};

/** The behaviour of RuntimeClasses. */
export const runtimeClassBehaviour: Behaviour<nodeV1.RuntimeClass> = {
  strategy,
  cells: { Handler: ({ handler }) => handler },
};
