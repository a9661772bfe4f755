import type { FieldErrorList } from '../../../../foundation/index.js';
import type { NamedObject, Strategy, SubresourceStrategy } from '../../../../registry/index.js';
import type { appsV1 } from '../../../types/index.js';
import type { Behaviour, StoredKind } from '../../behaviour.js';
import { defaultPodTemplate, dropDisabledTemplateFields, podTemplateWarnings } from '../../core/pod/template.js';
import { semanticallyEqualSteps } from '../../shared/go/semantic-equal.js';
import { immutableSelector, labelsCell, selectorCell } from '../../shared/selectors/label-selectors.js';
import { countSpecChange, specOf } from '../../shared/spec.js';
import { containersCell, imagesCell } from '../../shared/workload-cells.js';
import { checkTemplateGeneration, numberChangedTemplate, numberNewTemplate } from './template-generation.js';
import { validateDaemonSetSpec, validateDaemonSetStatus } from './validate.js';

type StoredDaemonSet = StoredKind<appsV1.DaemonSet>;

const HISTORY_LIMIT = 10;
const NEW_STATUS: appsV1.DaemonSetStatus = Object.freeze({
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
});

// Strategies receive only objects that the schema of the kind has decoded.
const daemonSetOf = (object: NamedObject): StoredDaemonSet => object;

function defaultUpdateStrategy(strategy: appsV1.DaemonSetUpdateStrategy): void {
  strategy.type ||= 'RollingUpdate';
  if (strategy.type !== 'RollingUpdate') return;
  strategy.rollingUpdate = { ...strategy.rollingUpdate };
  strategy.rollingUpdate.maxUnavailable ??= 1;
  strategy.rollingUpdate.maxSurge ??= 0;
}

const strategy: Strategy<StoredDaemonSet> = {
  *defaults(object, context) {
    const daemonSet = daemonSetOf(object);
    const spec = specOf(daemonSet);
    checkTemplateGeneration(daemonSet);
    defaultUpdateStrategy((spec.updateStrategy ??= {}));
    spec.revisionHistoryLimit ??= HISTORY_LIMIT;
    yield* defaultPodTemplate(spec.template, context);
  },
  *prepareForCreate(object, context) {
    const daemonSet = daemonSetOf(object);
    daemonSet.status = { ...NEW_STATUS };
    daemonSet.metadata.generation = 1;
    numberNewTemplate(daemonSet);
    yield* dropDisabledTemplateFields(specOf(daemonSet).template, undefined, context);
  },
  *prepareForUpdate(object, old, context) {
    const daemonSet = daemonSetOf(object);
    yield* dropDisabledTemplateFields(specOf(daemonSet).template, specOf(old).template, context);
    daemonSet.status = old.status;
    const isSame = yield* semanticallyEqualSteps(daemonSet.spec?.template, old.spec?.template, context.work);
    numberChangedTemplate(daemonSet, old, !isSame);
    yield* countSpecChange(daemonSet, old, context);
  },
  validate: (object, context, old) => (old === undefined ? validateDaemonSetSpec(specOf(object), context) : []),
  *validateUpdate(object, old, context) {
    const errors: FieldErrorList = yield* validateDaemonSetSpec(specOf(object), context);
    yield* immutableSelector(errors, 'spec.selector', object.spec?.selector, old.spec?.selector);
    return errors;
  },
  *warnings(object, old, context) {
    if (old !== undefined && object.metadata.generation === old.metadata.generation) return [];
    return yield* podTemplateWarnings('spec.template', specOf(object).template, old?.spec?.template, context);
  },
};

const status: SubresourceStrategy<StoredDaemonSet> = {
  resetFields: [['spec']],
  prepareForUpdate(object, old) {
    daemonSetOf(object).spec = old.spec;
  },
  validateUpdate: (object, old) => validateDaemonSetStatus(object.status ?? NEW_STATUS, old.status ?? NEW_STATUS),
};

/** The behaviour of DaemonSets. */
export const daemonSetBehaviour: Behaviour<appsV1.DaemonSet> = {
  strategy,
  subresources: { status },
  cells: {
    Desired: ({ status }) => status?.desiredNumberScheduled ?? 0,
    Current: ({ status }) => status?.currentNumberScheduled ?? 0,
    Ready: ({ status }) => status?.numberReady ?? 0,
    'Up-to-date': ({ status }) => status?.updatedNumberScheduled ?? 0,
    Available: ({ status }) => status?.numberAvailable ?? 0,
    'Node Selector': ({ spec }, work) => labelsCell(spec?.template.spec?.nodeSelector, work),
    Containers: ({ spec }, work) => containersCell(spec?.template, work),
    Images: ({ spec }, work) => imagesCell(spec?.template, work),
    Selector: ({ spec }, work) => selectorCell(spec?.selector, work),
  },
};
