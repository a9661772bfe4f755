import type { Dialect } from '../../foundation/index.js';
import { Pod } from '../../kinds/index.js';
import { defineAdmissionPlugin, type AdmissionPlugin } from '../../registry/index.js';
import { admissionRefusal } from '../refusal.js';

/** Refuses pods that must not share anything larger than a node with other pods. */
export function limitPodHardAntiAffinityTopology({ labelDomain }: Dialect): AdmissionPlugin {
  const hostname = `${labelDomain}/hostname`;
  return defineAdmissionPlugin({
    name: 'LimitPodHardAntiAffinityTopology',
    kinds: [Pod],
    operations: ['CREATE', 'UPDATE'],
    validate(attributes) {
      const { object, subresource } = attributes;
      if (subresource !== '') return;
      const terms = object.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      const refused = terms.find(({ topologyKey }) => topologyKey !== hostname);
      if (refused === undefined) return;
      throw admissionRefusal(
        attributes,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${refused.topologyKey} but only key ${hostname} is allowed`,
      );
    },
  });
}
