import { compareQuantity } from '../../foundation/index.js';
import { Pod, RuntimeClass, type coreV1 } from '../../kinds/index.js';
import {
  defineAdmissionPlugin,
  type AdmissionPlugin,
  type Catalogue,
  type Incomplete,
  type ObjectOf,
} from '../../registry/index.js';
import { admissionRefusal } from '../refusal.js';
import { findStored } from './mirrored-kind.js';
import { mergedTolerations } from './tolerations/tolerations.js';

type Class = ObjectOf<typeof RuntimeClass>;
type Spec = Incomplete<coreV1.PodSpec>;
type Refusing = Parameters<typeof admissionRefusal>[0];

const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const UNDEFINED_OVERHEAD = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

/** Gives pods the overhead and the scheduling constraints of their runtime class, and refuses others. */
export function runtimeClass(catalogue: Catalogue): AdmissionPlugin {
  const classOf = async (name: string | undefined, attributes: Refusing): Promise<Class | undefined> => {
    if (name === undefined) return undefined;
    const found = await findStored(catalogue, RuntimeClass, '', name);
    if (found === undefined) throw admissionRefusal(attributes, `pod rejected: RuntimeClass "${name}" not found`);
    return found;
  };
  return defineAdmissionPlugin({
    name: 'RuntimeClass',
    kinds: [Pod],
    operations: ['CREATE'],
    async mutate(attributes) {
      const { object, subresource } = attributes;
      const { spec } = object;
      if (subresource !== '' || spec?.runtimeClassName === undefined) return;
      const found = await classOf(spec.runtimeClassName, attributes);
      setOverhead(spec, found?.overhead?.podFixed, attributes);
      setScheduling(spec, found?.scheduling, attributes);
    },
    async validate(attributes) {
      const { object, subresource } = attributes;
      const { spec } = object;
      if (subresource !== '' || (spec?.runtimeClassName === undefined && spec?.overhead === undefined)) return;
      const { overhead } = (await classOf(spec.runtimeClassName, attributes)) ?? {};
      if (overhead === undefined) {
        if (spec.overhead !== undefined) throw admissionRefusal(attributes, UNDEFINED_OVERHEAD);
      } else if (!isSame(overhead.podFixed, spec.overhead)) throw admissionRefusal(attributes, MISMATCH);
    },
  });
}

type Amounts = Readonly<Record<string, string | undefined>>;

function isSame(a: Amounts = {}, b: Amounts = {}): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => compareQuantity(a[name] ?? '', b[name] ?? '') === 0);
}

function setOverhead(spec: Spec, fixed: Readonly<Record<string, string>> | undefined, attributes: Refusing): void {
  if (fixed === undefined) return;
  const { overhead = {} } = spec;
  if (Object.keys(overhead).length > 0 && !isSame(fixed, overhead)) throw admissionRefusal(attributes, MISMATCH);
  spec.overhead = { ...fixed };
}

function setScheduling(spec: Spec, scheduling: Class['scheduling'], attributes: Refusing): void {
  if (scheduling === undefined) return;
  const { nodeSelector, tolerations = [] } = scheduling;
  if (nodeSelector !== undefined) {
    const selector = { ...spec.nodeSelector };
    for (const [key, value] of Object.entries(nodeSelector)) {
      const given = selector[key];
      if (given !== undefined && given !== value)
        throw admissionRefusal(
          attributes,
          `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${given}`,
        );
      selector[key] = value;
    }
    spec.nodeSelector = selector;
  }
  const merged = mergedTolerations(spec.tolerations ?? [], tolerations);
  if (merged.length > 0) spec.tolerations = merged;
}
