import type { AdmissionPlugin, NodeRestrictionOptions } from '../admission/index.js';

/** How node agents are kept to their nodes. */
export interface LateNodeRestrictionOptions extends NodeRestrictionOptions {
  readonly active: () => boolean;
}

/** Keeps node agents to their nodes where they are to be. What does it is loaded when that first is so. */
export function lateNodeRestriction(options: LateNodeRestrictionOptions): AdmissionPlugin {
  let loaded: AdmissionPlugin | undefined;
  const load = async (): Promise<AdmissionPlugin> => {
    const { nodeRestriction } = await import('../admission/node-restriction/index.js');
    return (loaded ??= nodeRestriction(options));
  };
  return {
    name: 'NodeRestriction',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    mutate(attributes) {
      if (!options.active()) return undefined;
      return loaded === undefined ? load().then((plugin) => plugin.mutate?.(attributes)) : loaded.mutate?.(attributes);
    },
  };
}
