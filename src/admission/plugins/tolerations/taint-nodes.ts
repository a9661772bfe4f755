import type { Dialect } from '../../../foundation/index.js';
import { Node } from '../../../kinds/index.js';
import { defineAdmissionPlugin, type AdmissionPlugin } from '../../../registry/index.js';

/** Keeps pods off new nodes until their agents report them ready. */
export function taintNodesByCondition({ labelDomain }: Dialect): AdmissionPlugin {
  const taint = { key: `node.${labelDomain}/not-ready`, effect: 'NoSchedule' };
  return defineAdmissionPlugin({
    name: 'TaintNodesByCondition',
    kinds: [Node],
    operations: ['CREATE'],
    mutate({ object }) {
      const taints = object.spec?.taints ?? [];
      if (taints.some(({ key, effect }) => key === taint.key && effect === taint.effect)) return;
      object.spec = { ...object.spec, taints: [...taints, { ...taint }] };
    },
  });
}
