import { errors } from '../../foundation/index.js';
import { Pod, PriorityClass } from '../../kinds/index.js';
import {
  defineAdmissionPlugin,
  type AdmissionPlugin,
  type Catalogue,
  type ObjectOf,
  type Unvalidated,
} from '../../registry/index.js';
import { admissionRefusal } from '../refusal.js';
import { findStored, type MirroredKind } from './mirrored-kind.js';

type Class = ObjectOf<typeof PriorityClass>;
type DraftPod = Unvalidated<ObjectOf<typeof Pod>>;
type Refusing = Parameters<typeof admissionRefusal>[0];

/** The meaning of a class for a pod. */
interface Resolved {
  readonly name: string;
  readonly value: number;
  readonly preemptionPolicy: string | undefined;
}

/** The values of a pod when no class is the default. */
const NO_CLASS: Resolved = { name: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' };

const resolved = ({ metadata, value, preemptionPolicy }: Class): Resolved => ({
  name: metadata.name ?? '',
  ...{ value, preemptionPolicy },
});

/** Returns the default class: the lowest of those that are marked, which can be several only for a moment. */
function defaultOf(classes: readonly Class[]): Class | undefined {
  const marked = classes.filter(({ globalDefault }) => globalDefault === true);
  return marked.sort((a, b) => a.value - b.value)[0];
}

/** Resolves the priority class of pods to their priority, and allows one default class. */
export function priority(catalogue: Catalogue, classes: MirroredKind<Class>): AdmissionPlugin {
  const classOf = async (name: string, attributes: Refusing): Promise<Resolved> => {
    const known =
      classes.in('').find(({ metadata }) => metadata.name === name) ??
      (await findStored(catalogue, PriorityClass, '', name));
    if (known === undefined) throw admissionRefusal(attributes, `no PriorityClass with name ${name} was found`);
    return resolved(known);
  };
  const pods = defineAdmissionPlugin({
    name: 'Priority',
    kinds: [Pod],
    operations: ['CREATE', 'UPDATE'],
    async mutate(attributes) {
      const { object, oldObject, subresource } = attributes;
      if (subresource !== '') return;
      if (oldObject !== undefined) {
        keepPriority(object, oldObject);
        return;
      }
      const spec = (object.spec ??= {});
      const { priorityClassName: name = '' } = spec;
      const found = name === '' ? resolvedDefault(classes.in('')) : await classOf(name, attributes);
      setPriority(spec, found, attributes);
    },
  });
  const priorityClasses = defineAdmissionPlugin({
    name: 'Priority',
    kinds: [PriorityClass],
    operations: ['CREATE', 'UPDATE'],
    validate({ object, operation }) {
      if (object.globalDefault !== true) return;
      const other = defaultOf(classes.in(''))?.metadata.name;
      if (other === undefined || (operation === 'UPDATE' && other === object.metadata.name)) return;
      throw errors.forbidden(
        { group: groupOf(object.apiVersion), resource: 'priorityclasses' },
        object.metadata.name ?? '',
        `PriorityClass ${other} is already marked as default. Only one default can exist`,
      );
    },
  });
  return {
    name: 'Priority',
    kinds: [Pod, PriorityClass],
    operations: ['CREATE', 'UPDATE'],
    mutate: (attributes, round) => (attributes.info.definition === Pod ? pods.mutate?.(attributes, round) : undefined),
    validate: (attributes) =>
      attributes.info.definition === PriorityClass ? priorityClasses.validate?.(attributes) : undefined,
  };
}

const groupOf = (apiVersion: string): string => apiVersion.split('/')[0] ?? '';

function resolvedDefault(classes: readonly Class[]): Resolved {
  const found = defaultOf(classes);
  return found === undefined ? NO_CLASS : resolved(found);
}

/** Keeps what a create has resolved, which clients that do not know it leave out. */
function keepPriority({ spec }: DraftPod, old: ObjectOf<typeof Pod>): void {
  if (spec === undefined) return;
  if (spec.priority === undefined && old.spec?.priority !== undefined) spec.priority = old.spec.priority;
  if (spec.preemptionPolicy === undefined && old.spec?.preemptionPolicy !== undefined)
    spec.preemptionPolicy = old.spec.preemptionPolicy;
}

function setPriority(
  spec: NonNullable<DraftPod['spec']>,
  { name, value, preemptionPolicy }: Resolved,
  attributes: Refusing,
): void {
  if (name !== '') spec.priorityClassName = name;
  if (spec.priority !== undefined && spec.priority !== value)
    throw admissionRefusal(
      attributes,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  spec.priority = value;
  if (preemptionPolicy === undefined) return;
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy)
    throw admissionRefusal(
      attributes,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    );
  spec.preemptionPolicy = preemptionPolicy;
}
