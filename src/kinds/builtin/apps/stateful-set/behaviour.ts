import { dnsLabel, type Steps } from '../../../../foundation/index.js';
import type { NamedObject, RequestContext, Strategy, SubresourceStrategy } from '../../../../registry/index.js';
import type { appsV1 } from '../../../types/index.js';
import type { Behaviour, StoredKind } from '../../behaviour.js';
import { dropDisabledTemplateFields, podTemplateWarnings } from '../../core/pod/template.js';
import { scaleView } from '../../shared/scale/scale-view.js';
import { countSpecChange, specOf } from '../../shared/spec.js';
import { containersCell, imagesCell } from '../../shared/workload-cells.js';
import { selectorText } from '../selector-text.js';
import { claimWarnings } from './claims.js';
import { defaultStatefulSet } from './defaults.js';
import { immutableSpecErrors, validateStatefulSetSpec, validateStatefulSetStatus } from './validate.js';

type StoredStatefulSet = StoredKind<appsV1.StatefulSet>;

const NEW_STATUS: appsV1.StatefulSetStatus = Object.freeze({ replicas: 0, availableReplicas: 0 });

// Strategies receive only objects that the schema of the kind has decoded.
const statefulSetOf = (object: NamedObject): StoredStatefulSet => object;

/** Drops the fields of disabled features, unless the old spec uses them. */
function* dropDisabledFields(
  spec: appsV1.StatefulSetSpec,
  old: appsV1.StatefulSetSpec | undefined,
  context: RequestContext,
): Steps<void> {
  const { featureGates } = context;
  if (!featureGates.enabled('StatefulSetAutoDeletePVC') && old?.persistentVolumeClaimRetentionPolicy === undefined)
    delete spec.persistentVolumeClaimRetentionPolicy;
  const rollingUpdate = spec.updateStrategy?.rollingUpdate;
  const wasUsed = old?.updateStrategy?.rollingUpdate?.maxUnavailable !== undefined;
  if (rollingUpdate !== undefined && !wasUsed && !featureGates.enabled('MaxUnavailableStatefulSet'))
    delete rollingUpdate.maxUnavailable;
  yield* dropDisabledTemplateFields(spec.template, old?.template, context);
}

const historyWarnings = ({ revisionHistoryLimit = 0 }: appsV1.StatefulSetSpec): string[] =>
  revisionHistoryLimit < 0
    ? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
    : [];

const strategy: Strategy<StoredStatefulSet> = {
  nameRule: dnsLabel,
  defaults: (object, context) => defaultStatefulSet(specOf(statefulSetOf(object)), context),
  *prepareForCreate(object, context) {
    object.status = { ...NEW_STATUS };
    object.metadata.generation = 1;
    yield* dropDisabledFields(specOf(statefulSetOf(object)), undefined, context);
  },
  *prepareForUpdate(object, old, context) {
    const statefulSet = statefulSetOf(object);
    statefulSet.status = old.status;
    yield* dropDisabledFields(specOf(statefulSet), specOf(old), context);
    yield* countSpecChange(statefulSet, old, context);
  },
  validate: (object, { work }, old) => (old === undefined ? validateStatefulSetSpec(specOf(object), work) : []),
  *validateUpdate(object, old, { work }) {
    const errors = yield* validateStatefulSetSpec(specOf(object), work);
    yield* immutableSpecErrors(errors, specOf(object), specOf(old));
    return errors;
  },
  *warnings(object, old, context) {
    const spec = specOf(object);
    const isChanged = old === undefined || object.metadata.generation !== old.metadata.generation;
    return [
      ...(isChanged ? yield* podTemplateWarnings('spec.template', spec.template, old?.spec?.template, context) : []),
      ...(yield* claimWarnings(spec.volumeClaimTemplates, old === undefined ? '' : '.Spec', context.work)),
      ...historyWarnings(spec),
    ];
  },
};

const status: SubresourceStrategy<StoredStatefulSet> = {
  resetFields: [['spec']],
  prepareForUpdate(object, old) {
    statefulSetOf(object).spec = old.spec;
  },
  validateUpdate: (object, old) => validateStatefulSetStatus(object.status ?? NEW_STATUS, old.status ?? NEW_STATUS),
};

/** The behaviour of StatefulSets. */
export const statefulSetBehaviour: Behaviour<appsV1.StatefulSet> = {
  strategy,
  subresources: { status, scale: scaleView(({ spec }, work) => selectorText(spec?.selector, work)) },
  cells: {
    Ready: ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    Containers: ({ spec }, work) => containersCell(spec?.template, work),
    Images: ({ spec }, work) => imagesCell(spec?.template, work),
  },
};
