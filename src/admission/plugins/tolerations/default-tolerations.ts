import type { Dialect } from '../../../foundation/index.js';
import { Pod, type coreV1 } from '../../../kinds/index.js';
import { defineAdmissionPlugin, type AdmissionPlugin, type Incomplete } from '../../../registry/index.js';

/** How long pods stay on a node that fails. */
export interface DefaultTolerationOptions {
  /** Seconds on a node that is not ready; default 300. */
  readonly notReadySeconds?: number | undefined;
  /** Seconds on a node that cannot be reached; default 300. */
  readonly unreachableSeconds?: number | undefined;
}

const DEFAULT_SECONDS = 300;

const tolerates = ({ key = '', effect = '' }: Incomplete<coreV1.Toleration>, taint: string): boolean =>
  (key === '' || key === taint) && (effect === '' || effect === 'NoExecute');

/** Lets pods stay for a while on a node that is not ready or cannot be reached, unless they say how long. */
export function defaultTolerationSeconds(
  { labelDomain }: Dialect,
  { notReadySeconds = DEFAULT_SECONDS, unreachableSeconds = DEFAULT_SECONDS }: DefaultTolerationOptions = {},
): AdmissionPlugin {
  const added = [
    { key: `node.${labelDomain}/not-ready`, tolerationSeconds: notReadySeconds },
    { key: `node.${labelDomain}/unreachable`, tolerationSeconds: unreachableSeconds },
  ];
  return defineAdmissionPlugin({
    name: 'DefaultTolerationSeconds',
    kinds: [Pod],
    operations: ['CREATE', 'UPDATE'],
    mutate({ object, subresource }) {
      if (subresource !== '' || object.spec === undefined) return;
      const given = object.spec.tolerations ?? [];
      const missing = added.filter(({ key }) => !given.some((toleration) => tolerates(toleration, key)));
      if (missing.length === 0) return;
      object.spec.tolerations = [
        ...given,
        ...missing.map(({ key, tolerationSeconds }) => ({
          key,
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds,
        })),
      ];
    },
  });
}
