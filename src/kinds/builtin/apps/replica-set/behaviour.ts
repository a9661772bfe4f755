import { FieldErrorList, type Steps } from '../../../../foundation/index.js';
import type { NamedObject, RequestContext, Strategy, SubresourceStrategy } from '../../../../registry/index.js';
import type { appsV1 } from '../../../types/index.js';
import type { Behaviour, StoredKind } from '../../behaviour.js';
import { replicaWarnings } from '../../core/pod/replica-warnings.js';
import { defaultPodTemplate, dropDisabledTemplateFields } from '../../core/pod/template.js';
import { validateReplicaStatus } from '../../shared/scale/replica-status.js';
import { scaleView } from '../../shared/scale/scale-view.js';
import { immutableSelector, selectorCell } from '../../shared/selectors/label-selectors.js';
import { countSpecChange, specOf } from '../../shared/spec.js';
import { nonNegative } from '../../shared/validate.js';
import { containersCell, imagesCell } from '../../shared/workload-cells.js';
import { replicaTemplateErrors } from '../replica-template.js';
import { selectorText } from '../selector-text.js';

type StoredReplicaSet = StoredKind<appsV1.ReplicaSet>;

// Strategies receive only objects that the schema of the kind has decoded.
const replicaSetOf = (object: NamedObject): StoredReplicaSet => object;

function* validateSpec(spec: appsV1.ReplicaSetSpec, context: RequestContext): Steps<FieldErrorList> {
  const errors = new FieldErrorList(context.work);
  nonNegative(errors, 'spec.replicas', spec.replicas);
  nonNegative(errors, 'spec.minReadySeconds', spec.minReadySeconds);
  yield* replicaTemplateErrors(errors, spec, context);
  return errors;
}

const strategy: Strategy<StoredReplicaSet> = {
  *defaults(object, context) {
    const spec = specOf(replicaSetOf(object));
    spec.replicas ??= 1;
    yield* defaultPodTemplate((spec.template ??= {}), context);
  },
  *prepareForCreate(object, context) {
    object.status = { replicas: 0 };
    object.metadata.generation = 1;
    yield* dropDisabledTemplateFields(specOf(replicaSetOf(object)).template, undefined, context);
  },
  *prepareForUpdate(object, old, context) {
    const replicaSet = replicaSetOf(object);
    replicaSet.status = old.status;
    yield* dropDisabledTemplateFields(specOf(replicaSet).template, specOf(old).template, context);
    yield* countSpecChange(replicaSet, old, context);
  },
  validate: (object, context, old) => (old === undefined ? validateSpec(specOf(object), context) : []),
  *validateUpdate(object, old, context) {
    const errors = yield* validateSpec(specOf(object), context);
    yield* immutableSelector(errors, 'spec.selector', object.spec?.selector, old.spec?.selector);
    return errors;
  },
  warnings: replicaWarnings,
};

const status: SubresourceStrategy<StoredReplicaSet> = {
  resetFields: [['spec']],
  prepareForUpdate(object, old) {
    replicaSetOf(object).spec = old.spec;
  },
  validateUpdate: ({ status }) => validateReplicaStatus(status),
};

/** The behaviour of ReplicaSets. */
export const replicaSetBehaviour: Behaviour<appsV1.ReplicaSet> = {
  strategy,
  subresources: { status, scale: scaleView(({ spec }, work) => selectorText(spec?.selector, work)) },
  cells: {
    Desired: ({ spec }) => spec?.replicas ?? 0,
    Current: ({ status }) => status?.replicas ?? 0,
    Ready: ({ status }) => status?.readyReplicas ?? 0,
    Containers: ({ spec }, work) => containersCell(spec?.template, work),
    Images: ({ spec }, work) => imagesCell(spec?.template, work),
    Selector: ({ spec }, work) => selectorCell(spec?.selector, work),
  },
};
