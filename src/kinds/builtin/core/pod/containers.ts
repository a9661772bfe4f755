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
  const placed: PlacedContainer[] = [];
  for (const list of LISTS) {
    const containers = spec[list];
    if (containers === undefined) continue;
    for (let index = 0; index < containers.length; index += 1) {
      const container = containers[index];
      if (container !== undefined) placed.push({ container, path: `${path}.${list}[${index}]` });
    }
  }
  return placed;
}

/** Returns all containers of a pod: init containers, containers, ephemeral containers. */
export function allContainers(spec: PodSpec): readonly (Container | EphemeralContainer)[] {
  const all: (Container | EphemeralContainer)[] = [];
  for (const list of LISTS) for (const container of spec[list] ?? []) all.push(container);
  return all;
}
