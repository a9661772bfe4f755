import type { Dialect } from '../../../foundation/index.js';
import type { coreV1 } from '../../../kinds/index.js';

/** A pod, or the template of one. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: coreV1.PodSpec;
  readonly dialect: Dialect;
}

/** Why a pod is forbidden. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** Returns the violation of a pod; undefined when there is none. */
export type CheckPod = (pod: CheckedPod) => Violation | undefined;

/** A check of the Pod Security Standards. */
export interface Check {
  readonly id: string;
  readonly level: 'baseline' | 'restricted';
  /** The forms of the check, by the first minor version of Kubernetes that has them, in ascending order. */
  readonly versions: readonly {
    readonly minor: number;
    readonly check: CheckPod;
    readonly replaces?: string | undefined;
  }[];
}

/** The fields that the checks read, which the containers of all lists have. */
export type CheckedContainer = Pick<coreV1.Container, 'name' | 'securityContext' | 'ports'>;

/** Returns all containers of a pod: init containers, containers, ephemeral containers. */
export const containersOf = ({ spec }: CheckedPod): CheckedContainer[] => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? []),
  ...(spec.ephemeralContainers ?? []),
];

/** Returns names in quotation marks: `"a", "b"`. */
export const quoted = (names: readonly string[]): string => `"${names.join('", "')}"`;

/** Returns the word for one thing, or for several. */
export const word = (one: string, many: string, count: number): string => (count === 1 ? one : many);

/** Returns the names of containers: `container "a"`, `containers "a", "b"`. */
export const containersText = (names: readonly string[]): string =>
  `${word('container', 'containers', names.length)} ${quoted(names)}`;

/** Returns each text once, in order. */
export const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].sort();

/** Returns a text that names what sets something: the pod, and its containers. */
export const settersText = (pod: boolean, containers: readonly string[]): string =>
  [...(pod ? ['pod'] : []), ...(containers.length > 0 ? [containersText(containers)] : [])].join(' and ');

/** Returns the names of the containers that a condition holds for. */
export const namesWhere = (pod: CheckedPod, condition: (container: CheckedContainer) => boolean): string[] =>
  containersOf(pod)
    .filter(condition)
    .map(({ name }) => name);
