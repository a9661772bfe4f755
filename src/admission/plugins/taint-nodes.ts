import type { Dialect } from '../../names/dialect.js';
import { defineAdmissionPlugin, type AdmissionPlugin } from '../../registry/admission.js';
import { Node } from '../../resources/index.js';

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
