import { equalJson, FieldErrorList } from '../../../foundation/index.js';
import type { resourceV1alpha3 } from '../../types/index.js';
import type { Behaviour } from '../behaviour.js';
import { loadExpressions } from '../shared/expressions.js';
import { validateNodeSelector } from '../shared/selectors/validate-node-selector.js';
import { DeviceExpressions, hasSelectors } from './device-expressions.js';
import { MAX_ITEMS } from './limits.js';
import { validateList } from './lists.js';
import { validateConfiguration, validateSelectors } from './validate-claim.js';

/** Classes of devices. */
export const deviceClass: Behaviour<resourceV1alpha3.DeviceClass> = {
  strategy: {
    countsGeneration: true,
    load: ({ spec }) => (hasSelectors([spec ?? {}]) ? loadExpressions() : undefined),
    prepareForCreate({ spec }, { featureGates }) {
      if (spec !== undefined && !featureGates.enabled('DRAControlPlaneController')) delete spec.suitableNodes;
    },
    prepareForUpdate({ spec }, old, { featureGates }) {
      if (featureGates.enabled('DRAControlPlaneController') || old.spec.suitableNodes !== undefined) return;
      if (spec !== undefined) delete spec.suitableNodes;
    },
    *validate({ spec }, { dialect, work }, old) {
      const errors = new FieldErrorList(work);
      if (old !== undefined && equalJson(spec, old.spec)) return errors;
      yield* validateSelectors(errors, 'spec.selectors', spec.selectors ?? [], new DeviceExpressions(dialect));
      yield* validateList(errors, 'spec.config', spec.config ?? [], MAX_ITEMS, validateConfiguration);
      // Kubernetes leaves out the first part of the path.
      if (spec.suitableNodes !== undefined) yield* validateNodeSelector(errors, 'suitableNodes', spec.suitableNodes);
      return errors;
    },
  },
};
