import type { NamedObject, Strategy, SubresourceStrategy } from '../../../../registry/index.js';
import type { autoscalingV2 } from '../../../types/index.js';
import type { Behaviour, StoredKind } from '../../behaviour.js';
import { specOf } from '../../shared/spec.js';
import { autoscalerCells } from './cells.js';
import { defaultAutoscaler } from './defaults.js';
import { withoutAnnotations } from './v1-annotations.js';
import { validateAutoscalerSpec, validateAutoscalerStatus } from './validate.js';

type StoredAutoscaler = StoredKind<autoscalingV2.HorizontalPodAutoscaler>;

const NEW_STATUS: autoscalingV2.HorizontalPodAutoscalerStatus = Object.freeze({
  desiredReplicas: 0,
  currentMetrics: null,
});

// Strategies receive only objects that the schema of the kind has decoded.
const autoscalerOf = (object: NamedObject): StoredAutoscaler => object;

/** The strategy of version v2, by which the objects of version v1 are prepared and validated too. */
export const autoscalerStrategy = {
  defaults(object, { dialect }) {
    defaultAutoscaler(specOf(autoscalerOf(object)));
    // This version has the fields that the annotations of version v1 stand for.
    const annotations = withoutAnnotations(object.metadata.annotations, dialect.autoscalerAnnotations);
    if (annotations !== undefined) object.metadata.annotations = annotations;
  },
  prepareForCreate(object) {
    object.status = { ...NEW_STATUS };
  },
  prepareForUpdate(object, old) {
    autoscalerOf(object).status = old.status;
  },
  validate: (object, context, old) =>
    old === undefined ? validateAutoscalerSpec(specOf(object), undefined, context) : [],
  validateUpdate: (object, old, context) => validateAutoscalerSpec(specOf(object), specOf(old), context),
} satisfies Strategy<StoredAutoscaler>;

/** The strategy of `/status`, of both versions. */
export const autoscalerStatusStrategy = {
  resetFields: [['spec']],
  prepareForUpdate(object, old) {
    autoscalerOf(object).spec = old.spec;
  },
  validateUpdate: ({ status = NEW_STATUS }) => validateAutoscalerStatus(status),
} satisfies SubresourceStrategy<StoredAutoscaler>;

/** The behaviour of HorizontalPodAutoscalers of version v2. */
export const horizontalPodAutoscalerBehaviour: Behaviour<autoscalingV2.HorizontalPodAutoscaler> = {
  strategy: autoscalerStrategy,
  subresources: { status: autoscalerStatusStrategy },
  cells: autoscalerCells,
};
