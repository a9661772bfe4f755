import type { Container, EphemeralContainer, PodSpec } from './types.js';

/** A container of any type, and its path. */
export interface PlacedContainer {
  readonly container: Container | EphemeralContainer;
  /** `spec.initContainers[0]` */
  readonly path: string;
}

/** The lists of containers, in the order in which Kubernetes visits them. */
const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Returns all containers of a pod with their paths: init containers, containers, ephemeral containers. */
export function placedContainers(path: string, spec: PodSpec): PlacedContainer[] {
  return LISTS.flatMap((list) =>
    (spec[list] ?? []).map((container, index) => ({ container, path: `${path}.${list}[${index}]` })),
  );
}

/** Returns all containers of a pod: init containers, containers, ephemeral containers. */
export const allContainers = (spec: PodSpec): readonly (Container | EphemeralContainer)[] =>
  LISTS.flatMap((list): readonly (Container | EphemeralContainer)[] => spec[list] ?? []);
