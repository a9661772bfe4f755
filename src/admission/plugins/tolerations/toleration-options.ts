import type { coreV1 } from '../../../kinds/index.js';

/** Options of the plugin PodTolerationRestriction, for namespaces that state nothing themselves. */
export interface TolerationRestrictionOptions {
  /** Tolerations that new pods get. Default none. */
  readonly default?: readonly coreV1.Toleration[] | undefined;
  /** Tolerations that pods may have. Default all. */
  readonly whitelist?: readonly coreV1.Toleration[] | undefined;
}
