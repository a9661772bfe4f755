import type { HealthChecks } from '../../server/index.js';

/** The optional parts of the start. */
export interface StartedParts {
  /** Whether the controller of custom resource definitions runs. */
  readonly hasDefinitionsController: boolean;
  /** Whether the start creates the priority classes of the system. */
  readonly hasPriorityClasses: boolean;
}

/** Checks that the start has completed its parts, by the names of the steps in Kubernetes. */
const STEPS = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'scheduling/bootstrap-system-priority-classes',
] as const;

/**
 * Adds the checks of the start. Steps without a counterpart in this server have none.
 *
 * @param ready waits for the start; undefined when it is complete
 */
export function addStartChecks(
  health: HealthChecks,
  ready: () => Promise<void> | undefined,
  parts: StartedParts,
): void {
  const runs: Partial<Record<(typeof STEPS)[number], boolean>> = {
    'start-apiextensions-controllers': parts.hasDefinitionsController,
    'scheduling/bootstrap-system-priority-classes': parts.hasPriorityClasses,
  };
  // The objects that decisions depend on are read at the start.
  health.add({ name: 'informer-sync', check: ready }, ['readyz']);
  for (const step of STEPS) if (runs[step] !== false) health.add({ name: `poststarthook/${step}`, check: ready });
}
