import type { FieldErrorList, Steps, Work } from '../../../../foundation/index.js';
import type { NamedObject, Strategy, SubresourceStrategy } from '../../../../registry/index.js';
import type { appsV1 } from '../../../types/index.js';
import type { Behaviour, StoredKind } from '../../behaviour.js';
import { replicaWarnings } from '../../core/pod/replica-warnings.js';
import { dropDisabledTemplateFields } from '../../core/pod/template.js';
import { semanticallyEqualSteps } from '../../shared/go/semantic-equal.js';
import { scaleView } from '../../shared/scale/scale-view.js';
import { immutableSelector, selectorQuery } from '../../shared/selectors/label-selectors.js';
import { incrementGeneration, specOf } from '../../shared/spec.js';
import { containersCell, imagesCell } from '../../shared/workload-cells.js';
import { selectorText } from '../selector-text.js';
import { defaultDeployment } from './defaults.js';
import { validateDeploymentSpec, validateDeploymentStatus } from './validate.js';

type StoredDeployment = StoredKind<appsV1.Deployment>;

// Strategies receive only objects that the schema of the kind has decoded.
const deploymentOf = (object: NamedObject): StoredDeployment => object;

const strategy: Strategy<StoredDeployment> = {
  defaults: (object, context) => defaultDeployment(specOf(deploymentOf(object)), context),
  *prepareForCreate(object, context) {
    object.status = {};
    object.metadata.generation = 1;
    yield* dropDisabledTemplateFields(specOf(deploymentOf(object)).template, undefined, context);
  },
  *prepareForUpdate(object, old, context) {
    const deployment = deploymentOf(object);
    deployment.status = old.status;
    yield* dropDisabledTemplateFields(specOf(deployment).template, specOf(old).template, context);
    // Annotations are copied to the replica sets, so a change of them is one of the desired state too.
    const { annotations = {} } = deployment.metadata;
    if (
      !(yield* semanticallyEqualSteps(deployment.spec, old.spec, context.work)) ||
      !(yield* semanticallyEqualSteps(annotations, old.metadata.annotations ?? {}, context.work))
    )
      incrementGeneration(deployment, old);
  },
  validate: (object, context, old) => (old === undefined ? validateDeploymentSpec(specOf(object), context) : []),
  *validateUpdate(object, old, context) {
    const errors: FieldErrorList = yield* validateDeploymentSpec(specOf(object), context);
    yield* immutableSelector(errors, 'spec.selector', object.spec?.selector, old.spec?.selector);
    return errors;
  },
  warnings: replicaWarnings,
};

const status: SubresourceStrategy<StoredDeployment> = {
  resetFields: [['spec'], ['metadata', 'labels']],
  prepareForUpdate(object, old) {
    const deployment = deploymentOf(object);
    deployment.spec = old.spec;
    if (old.metadata.labels === undefined) delete deployment.metadata.labels;
    else deployment.metadata.labels = old.metadata.labels;
  },
  validateUpdate: (object, old) => validateDeploymentStatus(object.status ?? {}, old.status ?? {}),
};

function* selectorOf({ spec }: StoredDeployment, work: Work): Steps<string> {
  return (yield* selectorQuery(spec?.selector, work)) ?? '<invalid>';
}

/** The behaviour of Deployments. */
export const deploymentBehaviour: Behaviour<appsV1.Deployment> = {
  strategy,
  subresources: { status, scale: scaleView(({ spec }, work) => selectorText(spec?.selector, work)) },
  cells: {
    Ready: ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    'Up-to-date': ({ status }) => status?.updatedReplicas ?? 0,
    Available: ({ status }) => status?.availableReplicas ?? 0,
    Containers: ({ spec }, work) => containersCell(spec?.template, work),
    Images: ({ spec }, work) => imagesCell(spec?.template, work),
    Selector: selectorOf,
  },
};
