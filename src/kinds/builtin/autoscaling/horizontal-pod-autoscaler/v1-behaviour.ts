import { autoscalerAnnotationsOf } from '../../../../foundation/index.js';
import type { NamedObject, RequestContext, Strategy, SubresourceStrategy } from '../../../../registry/index.js';
import type { autoscalingV1, autoscalingV2 } from '../../../types/index.js';
import type { Behaviour, StoredKind } from '../../behaviour.js';
import { specOf } from '../../shared/spec.js';
import { autoscalerStatusStrategy, autoscalerStrategy } from './behaviour.js';
import { autoscalerCells } from './cells.js';
import { defaultAutoscaler } from './defaults.js';
import { autoscalerFromV1, autoscalerToV1 } from './v1-conversion.js';

type AutoscalerV1 = StoredKind<autoscalingV1.HorizontalPodAutoscaler>;
type AutoscalerV2 = StoredKind<autoscalingV2.HorizontalPodAutoscaler>;

// Strategies receive only objects that the schema of the kind has decoded.
const autoscalerOf = (object: NamedObject): AutoscalerV1 => object;

/** Changes an object of version v1 by a change of the same object of version v2. */
function changeAsV2(
  object: NamedObject,
  { dialect: { autoscalerAnnotations: names } }: RequestContext,
  change: (hub: AutoscalerV2) => void,
): void {
  const v1 = autoscalerOf(object);
  const hub = autoscalerFromV1(v1, names);
  change(hub);
  const { metadata, spec, status } = autoscalerToV1(hub, names);
  Object.assign(v1, { metadata, spec, status });
}

const hubOf = (object: AutoscalerV1, { dialect }: RequestContext): AutoscalerV2 =>
  autoscalerFromV1(object, dialect.autoscalerAnnotations);

const strategy: Strategy<AutoscalerV1> = {
  defaults: (object, context) => changeAsV2(object, context, (hub) => defaultAutoscaler(specOf(hub))),
  prepareForCreate: (object, context) => changeAsV2(object, context, (hub) => autoscalerStrategy.prepareForCreate(hub)),
  prepareForUpdate: (object, old, context) =>
    changeAsV2(object, context, (hub) => autoscalerStrategy.prepareForUpdate(hub, hubOf(old, context))),
  validate: (object, context, old) =>
    old === undefined ? autoscalerStrategy.validate(hubOf(object, context), context, undefined) : [],
  validateUpdate: (object, old, context) =>
    autoscalerStrategy.validateUpdate(hubOf(object, context), hubOf(old, context), context),
};

const status: SubresourceStrategy<AutoscalerV1> = {
  resetFields: autoscalerStatusStrategy.resetFields,
  prepareForUpdate: (object, old, context) =>
    changeAsV2(object, context, (hub) => autoscalerStatusStrategy.prepareForUpdate(hub, hubOf(old, context))),
  validateUpdate: (object, _old, context) => autoscalerStatusStrategy.validateUpdate(hubOf(object, context)),
};

/** Returns an autoscaler as version v2 has it, for its cells. */
const shown = (object: AutoscalerV1): AutoscalerV2 =>
  autoscalerFromV1(object, autoscalerAnnotationsOf(object.metadata.annotations ?? {}));

/** The behaviour of HorizontalPodAutoscalers of version v1. */
export const horizontalPodAutoscalerV1Behaviour: Behaviour<autoscalingV1.HorizontalPodAutoscaler> = {
  strategy,
  subresources: { status },
  cells: {
    Reference: (object) => autoscalerCells.Reference(shown(object)),
    Targets: (object) => autoscalerCells.Targets(shown(object)),
    MinPods: (object) => autoscalerCells.MinPods(shown(object)),
    MaxPods: (object) => autoscalerCells.MaxPods(shown(object)),
    Replicas: (object) => autoscalerCells.Replicas(shown(object)),
  },
  conversion: {
    // The hub is HorizontalPodAutoscaler of version v2.
    toHub: (object, { autoscalerAnnotations: names }) => autoscalerFromV1(object, names),
    fromHub: (object, { autoscalerAnnotations: names }) => autoscalerToV1(object, names),
  },
};
