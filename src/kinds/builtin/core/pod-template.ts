import type { NamedObject, Strategy } from '../../../registry/index.js';
import type { coreV1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { semanticallyEqualSteps } from '../shared/go/semantic-equal.js';
import { labelsCell } from '../shared/selectors/label-selectors.js';
import { incrementGeneration } from '../shared/spec.js';
import { containersCell, imagesCell } from '../shared/workload-cells.js';
import {
  defaultPodTemplate,
  dropDisabledTemplateFields,
  podTemplateWarnings,
  validatePodTemplate,
} from './pod/template.js';

type StoredPodTemplate = StoredKind<coreV1.PodTemplate>;

// Strategies receive only objects that the schema of the kind has decoded.
const templateOf = (object: NamedObject): coreV1.PodTemplateSpec => ((object as StoredPodTemplate).template ??= {});

const strategy: Strategy<StoredPodTemplate> = {
  defaults: (object, context) => defaultPodTemplate(templateOf(object), context),
  *prepareForCreate(object, context) {
    object.metadata.generation = 1;
    yield* dropDisabledTemplateFields(templateOf(object), undefined, context);
  },
  *prepareForUpdate(object, old, context) {
    yield* dropDisabledTemplateFields(templateOf(object), old.template, context);
    if (!(yield* semanticallyEqualSteps(templateOf(object), old.template, context.work)))
      incrementGeneration(object, old);
  },
  validate: (object, context, old) =>
    old === undefined ? validatePodTemplate('template', object.template ?? {}, context) : [],
  validateUpdate: (object, _old, context) => validatePodTemplate('template', object.template ?? {}, context),
  *warnings(object, old, context) {
    if (old !== undefined && object.metadata.generation === old.metadata.generation) return [];
    return yield* podTemplateWarnings('template', object.template ?? {}, old?.template, context);
  },
};

/** The behaviour of PodTemplates. */
export const podTemplateBehaviour: Behaviour<coreV1.PodTemplate> = {
  strategy,
  cells: {
    Containers: ({ template }, work) => containersCell(template, work),
    Images: ({ template }, work) => imagesCell(template, work),
    'Pod Labels': ({ template }, work) => labelsCell(template?.metadata?.labels, work),
  },
};
