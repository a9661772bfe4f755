import { durationMs, type Dialect, type Duration } from '../../../foundation/index.js';
import { Pod, type coreV1 } from '../../../kinds/index.js';
import { defineAdmissionPlugin, type AdmissionPlugin, type Incomplete } from '../../../registry/index.js';

/** How long pods stay on a node that fails. */
export interface DefaultTolerationOptions {
  /** How long on a node that is not ready; default `300s`. Parts of a second are dropped. */
  readonly notReady?: Duration | undefined;
  /** How long on a node that cannot be reached; default `300s`. Parts of a second are dropped. */
  readonly unreachable?: Duration | undefined;
}

const DEFAULT = '300s';

const wholeSeconds = (duration: Duration): number => Math.floor(durationMs(duration) / 1000);

const tolerates = ({ key = '', effect = '' }: Incomplete<coreV1.Toleration>, taint: string): boolean =>
  (key === '' || key === taint) && (effect === '' || effect === 'NoExecute');

/** Lets pods stay for a while on a node that is not ready or cannot be reached, unless they say how long. */
export function defaultTolerationSeconds(
  { labelDomain }: Dialect,
  { notReady = DEFAULT, unreachable = DEFAULT }: DefaultTolerationOptions = {},
): AdmissionPlugin {
  const added = [
    { key: `node.${labelDomain}/not-ready`, tolerationSeconds: wholeSeconds(notReady) },
    { key: `node.${labelDomain}/unreachable`, tolerationSeconds: wholeSeconds(unreachable) },
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
