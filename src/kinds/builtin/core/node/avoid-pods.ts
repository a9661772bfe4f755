/**
 * The annotation of a node with the pods that should not run on it. No scheduler of this release reads it, but Kubernetes
 * still validates it.
 *
 * @module
 */
import {
  goObjectError,
  invalid,
  parsedJson,
  required,
  type Dialect,
  type FieldErrorList,
  type OwnerReference,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import {
  DecodeTypeError,
  ownerReferenceSchema,
  readSteps,
  type StructuralSchema,
} from '../../../../machinery/index.js';

/** The value of the annotation, as far as it is validated. */
interface AvoidPods {
  readonly preferAvoidPods?:
    | readonly {
        readonly podSignature: { readonly podController?: OwnerReference | undefined };
      }[]
    | undefined;
}

const text: StructuralSchema = { type: 'string', presence: 'omit' };
const struct = (
  name: string,
  properties: Readonly<Record<string, StructuralSchema>>,
  presence: StructuralSchema['presence'] = 'keep',
): StructuralSchema => ({ type: 'object', name, presence, properties: new Map(Object.entries(properties)) });

const schema = struct('AvoidPods', {
  preferAvoidPods: {
    type: 'array',
    presence: 'omit',
    items: struct('PreferAvoidPodsEntry', {
      podSignature: struct('PodSignature', { podController: { ...ownerReferenceSchema, presence: 'keep' } }, 'always'),
      evictionTime: { ...text, format: 'date-time' },
      reason: text,
      message: text,
    }),
  },
});

/** Validates the annotation. The paths, which are those of Kubernetes, name no field of the object. */
export function* validateAvoidPods(
  errors: FieldErrorList,
  annotations: Readonly<Record<string, string>> | undefined,
  { labelDomain }: Dialect,
): Steps<void> {
  const key = `scheduler.alpha.${labelDomain}/preferAvoidPods`;
  const value = annotations?.[key] ?? '';
  if (value === '') return;
  const read = yield* readAvoidPods(value, errors.work);
  if (typeof read === 'string') return void errors.push(invalid('metadata.annotations.AvoidPods', key, read));
  for (const [index, { podSignature }] of (read.preferAvoidPods ?? []).entries()) {
    if (errors.spend()) yield;
    const { podController } = podSignature;
    const path = `metadata.annotations.${key}[${index}].PodSignature`;
    if (podController === undefined) errors.push(required(path));
    else if (podController.controller !== true)
      errors.push(invalid(`${path}.PodController.Controller`, false, 'must point to a controller'));
  }
}

/** Returns the value of the annotation, or what the decoder of Kubernetes says of it. */
function* readAvoidPods(value: string, work: Work): Steps<AvoidPods | string> {
  const problem = goObjectError(value, 'v1.AvoidPods');
  if (problem !== undefined) return problem;
  try {
    const { object } = yield* readSteps(parsedJson(value) ?? {}, schema, { origin: 'builtin' }, work);
    return object;
  } catch (error) {
    if (error instanceof DecodeTypeError) return error.message;
    throw error;
  }
}
