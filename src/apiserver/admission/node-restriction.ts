import type { NodeRestrictionOptions } from '../../admission/index.js';
import { importNodeRestriction } from '../../admission/late.js';
import type { AdmissionPlugin } from '../../registry/index.js';

/** Options of {@link lateNodeRestriction}. */
export interface LateNodeRestrictionOptions extends NodeRestrictionOptions {
  /** Returns whether the restrictions apply. */
  readonly active: () => boolean;
}

/** Creates the plugin NodeRestriction, whose rules are loaded when it first becomes active. */
export function lateNodeRestriction(options: LateNodeRestrictionOptions): AdmissionPlugin {
  let loaded: AdmissionPlugin | undefined;
  const load = async (): Promise<AdmissionPlugin> => {
    const { nodeRestriction } = await importNodeRestriction();
    return (loaded ??= nodeRestriction(options));
  };
  return {
    name: 'NodeRestriction',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    mutate(attributes, round) {
      if (!options.active()) return undefined;
      return loaded === undefined
        ? load().then((plugin) => plugin.mutate?.(attributes, round))
        : loaded.mutate?.(attributes, round);
    },
  };
}
