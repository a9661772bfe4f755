import { notSupported, type ApiError, type FieldError } from '../../../foundation/index.js';
import { Pod, type coreV1 } from '../../../kinds/index.js';
import { defineAdmissionPlugin, type AdmissionPlugin, type Incomplete } from '../../../registry/index.js';
import { admissionRefusal } from '../../refusal.js';
import { aggregated } from '../aggregated.js';

type PodSpec = Incomplete<coreV1.PodSpec>;

/** The lists of containers of a pod, in the order in which Kubernetes visits them. */
const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Returns the images of a pod, by the place where they are used. */
function imagesOf(spec: PodSpec = {}): ReadonlyMap<string, string> {
  const images = LISTS.flatMap((list) =>
    (spec[list] ?? []).map(({ name = '', image = '' }) => [`${list}/${name}`, image] as const),
  );
  return new Map(images);
}

/** Returns whether an update brings no image that its container does not use yet. */
function bringsNoImage(spec: PodSpec | undefined, old: PodSpec | undefined): boolean {
  const before = new Set(imagesOf(old).values());
  return [...imagesOf(spec).values()].every((image) => before.has(image));
}

/**
 * Lets nodes pull the images of every new pod, so that a pod cannot use a private image that only another pod has the
 * credentials for.
 */
export function alwaysPullImages(): AdmissionPlugin {
  return defineAdmissionPlugin({
    name: 'AlwaysPullImages',
    kinds: [Pod],
    operations: ['CREATE', 'UPDATE'],
    mutate({ object: { spec }, oldObject, subresource }) {
      if (subresource !== '' || spec === undefined) return;
      if (oldObject !== undefined && bringsNoImage(spec, oldObject.spec)) return;
      for (const list of LISTS) for (const container of spec[list] ?? []) container.imagePullPolicy = 'Always';
      for (const { image } of spec.volumes ?? []) if (image !== undefined) image.pullPolicy = 'Always';
    },
    validate(attributes) {
      const { object, oldObject, subresource } = attributes;
      if (subresource !== '') return;
      if (oldObject !== undefined && bringsNoImage(object.spec, oldObject.spec)) return;
      const problems = LISTS.flatMap((list) =>
        (object.spec?.[list] ?? []).flatMap(({ imagePullPolicy }, index): FieldError[] =>
          imagePullPolicy === 'Always'
            ? []
            : [notSupported(`spec.${list}[${index}].imagePullPolicy`, imagePullPolicy ?? '', ['Always'])],
        ),
      );
      const [first] = problems;
      if (first !== undefined) throw refusalOf(attributes, problems);
    },
  });
}

const refusalOf = (attributes: Parameters<typeof admissionRefusal>[0], problems: readonly FieldError[]): ApiError =>
  admissionRefusal(attributes, aggregated(problems.map(String)));
