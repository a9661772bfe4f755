import type { Dialect } from '../../../foundation/index.js';
import { isExtendedResource, Pod } from '../../../kinds/index.js';
import { defineAdmissionPlugin, type AdmissionPlugin } from '../../../registry/index.js';

/** Lets pods that request an extended resource run on the nodes that are reserved for it. */
export function extendedResourceToleration(dialect: Dialect): AdmissionPlugin {
  return defineAdmissionPlugin({
    name: 'ExtendedResourceToleration',
    kinds: [Pod],
    operations: ['CREATE', 'UPDATE'],
    mutate({ object: { spec }, subresource }) {
      if (subresource !== '' || spec === undefined) return;
      const requested = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
        Object.keys(resources?.requests ?? {}),
      );
      for (const key of [...new Set(requested)].sort()) {
        if (!isExtendedResource(key, dialect)) continue;
        const tolerations = spec.tolerations ?? [];
        const same = tolerations.some(
          (one) => one.key === key && one.operator === 'Exists' && !one.value && !one.effect,
        );
        if (!same) spec.tolerations = [...tolerations, { key, operator: 'Exists' }];
      }
    },
  });
}
