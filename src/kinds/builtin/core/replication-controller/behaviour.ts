import {
  appendErrors,
  FieldErrorList,
  forbidden,
  invalid,
  notSupported,
  required,
  workOf,
  type Steps,
} from '../../../../foundation/index.js';
import { LabelSelector } from '../../../../machinery/index.js';
import type { NamedObject, RequestContext, Strategy, SubresourceStrategy } from '../../../../registry/index.js';
import type { coreV1 } from '../../../types/index.js';
import type { Behaviour, StoredKind } from '../../behaviour.js';
import { shownLabels } from '../../shared/go/shown-values.js';
import { validateReplicaStatus } from '../../shared/scale/replica-status.js';
import { scaleView } from '../../shared/scale/scale-view.js';
import { labelsCell } from '../../shared/selectors/label-selectors.js';
import { countSpecChange, specOf } from '../../shared/spec.js';
import { nonNegative } from '../../shared/validate.js';
import { containersCell, imagesCell } from '../../shared/workload-cells.js';
import { replicaWarnings } from '../pod/replica-warnings.js';
import { defaultPodTemplate, dropDisabledTemplateFields, validatePodTemplate } from '../pod/template.js';

type StoredController = StoredKind<coreV1.ReplicationController>;

// Strategies receive only objects that the schema of the kind has decoded.
const controllerOf = (object: NamedObject): StoredController => object;

const isEmpty = (labels: Readonly<Record<string, string>> | undefined): boolean =>
  labels === undefined || Object.keys(labels).length === 0;

/** Takes the selector and the labels from the template, where they are not set. */
function defaultLabels(controller: StoredController, spec: coreV1.ReplicationControllerSpec): void {
  const labels = spec.template?.metadata?.labels;
  if (labels === undefined || isEmpty(labels)) return;
  if (isEmpty(spec.selector)) spec.selector = { ...labels };
  if (isEmpty(controller.metadata.labels)) controller.metadata.labels = { ...labels };
}

function* templateErrors(
  errors: FieldErrorList,
  selector: Readonly<Record<string, string>>,
  template: coreV1.PodTemplateSpec,
  context: RequestContext,
): Steps<void> {
  const path = 'spec.template';
  const labels = template.metadata?.labels;
  const wanted = yield* LabelSelector.fromLabelsSteps(selector, workOf(context));
  if (!isEmpty(selector) && !wanted.matches(labels)) {
    const text = '`selector` does not match template `labels`';
    errors.push(invalid(`${path}.metadata.labels`, shownLabels(labels), text));
  }
  appendErrors(errors, yield* validatePodTemplate(path, template, context));
  const { restartPolicy = '', activeDeadlineSeconds } = template.spec ?? {};
  if (restartPolicy !== 'Always') errors.push(notSupported(`${path}.spec.restartPolicy`, restartPolicy, ['Always']));
  if (activeDeadlineSeconds !== undefined) {
    const text = 'activeDeadlineSeconds in ReplicationController is not Supported';
    errors.push(forbidden(`${path}.spec.activeDeadlineSeconds`, text));
  }
}

function* validateSpec(spec: coreV1.ReplicationControllerSpec, context: RequestContext): Steps<FieldErrorList> {
  const errors = new FieldErrorList(context.work);
  const { replicas, minReadySeconds, selector = {}, template } = spec;
  nonNegative(errors, 'spec.minReadySeconds', minReadySeconds);
  if (isEmpty(selector)) errors.push(required('spec.selector'));
  nonNegative(errors, 'spec.replicas', replicas);
  if (template === undefined) errors.push(required('spec.template'));
  else yield* templateErrors(errors, selector, template, context);
  return errors;
}

const strategy: Strategy<StoredController> = {
  orphansDependents: true,
  *defaults(object, context) {
    const controller = controllerOf(object);
    const spec = specOf(controller);
    defaultLabels(controller, spec);
    spec.replicas ??= 1;
    if (spec.template !== undefined) yield* defaultPodTemplate(spec.template, context);
  },
  *prepareForCreate(object, context) {
    const { template } = specOf(controllerOf(object));
    object.status = { replicas: 0 };
    object.metadata.generation = 1;
    if (template !== undefined) yield* dropDisabledTemplateFields(template, undefined, context);
  },
  *prepareForUpdate(object, old, context) {
    const controller = controllerOf(object);
    const { template } = specOf(controller);
    controller.status = old.status;
    if (template !== undefined) yield* dropDisabledTemplateFields(template, old.spec?.template, context);
    yield* countSpecChange(controller, old, context);
  },
  validate: (object, context, old) => (old === undefined ? validateSpec(specOf(object), context) : []),
  validateUpdate: (object, _old, context) => validateSpec(specOf(object), context),
  warnings: replicaWarnings,
};

const status: SubresourceStrategy<StoredController> = {
  resetFields: [['spec']],
  prepareForUpdate(object, old) {
    controllerOf(object).spec = old.spec;
  },
  validateUpdate: ({ status }) => validateReplicaStatus(status),
};

/** The behaviour of ReplicationControllers. */
export const replicationControllerBehaviour: Behaviour<coreV1.ReplicationController> = {
  strategy,
  subresources: {
    status,
    scale: scaleView(function* ({ spec }, work) {
      const selector = yield* LabelSelector.fromLabelsSteps(spec?.selector ?? {}, work);
      return yield* selector.textSteps(work);
    }),
  },
  cells: {
    Desired: ({ spec }) => spec?.replicas ?? 0,
    Current: ({ status }) => status?.replicas ?? 0,
    Ready: ({ status }) => status?.readyReplicas ?? 0,
    Containers: ({ spec }, work) => containersCell(spec?.template, work),
    Images: ({ spec }, work) => imagesCell(spec?.template, work),
    Selector: ({ spec }, work) => labelsCell(spec?.selector, work),
  },
};
