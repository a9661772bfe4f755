import type { AdmissionOperation, AdmissionPlugin, ResourceDefinition } from '../registry/index.js';

const OPERATIONS: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE'];

/**
 * Creates a plugin that reports the first write of each kind that controllers work for. Until then they need not watch
 * anything.
 *
 * @param byKind names of the controllers by kind
 * @param onNeeded called once for each kind
 */
export function controllerTrigger<Name extends string>(
  byKind: ReadonlyMap<ResourceDefinition, readonly Name[]>,
  onNeeded: (names: readonly Name[]) => void,
): AdmissionPlugin {
  const waiting = new Map(byKind);
  return {
    name: 'ControllerTrigger',
    operations: OPERATIONS,
    validate({ info: { definition } }) {
      const names = waiting.get(definition);
      if (names === undefined) return;
      waiting.delete(definition);
      onNeeded(names);
    },
  };
}

/** Creates a plugin that calls a function before each write. */
export function writeTrigger(writing: () => void): AdmissionPlugin {
  return { name: 'WriteTrigger', operations: OPERATIONS, validate: writing };
}
