import type { Dialect } from '../../../foundation/index.js';
import { Ingress, type IngressClass } from '../../../kinds/index.js';
import { defineAdmissionPlugin, type AdmissionPlugin, type ObjectOf } from '../../../registry/index.js';
import type { MirroredKind } from '../mirrored-kind.js';
import { defaultClass } from './default-class.js';

/** Gives new ingresses without a class the default one, if there is one. */
export function defaultIngressClass(
  { labelDomain }: Dialect,
  classes: MirroredKind<ObjectOf<typeof IngressClass>>,
): AdmissionPlugin {
  const mark = `ingressclass.${labelDomain}/is-default-class`;
  const former = `${labelDomain}/ingress.class`;
  return defineAdmissionPlugin({
    name: 'DefaultIngressClass',
    kinds: [Ingress],
    operations: ['CREATE'],
    mutate({ object, subresource }) {
      if (subresource !== '' || object.spec?.ingressClassName !== undefined) return;
      if (object.metadata.annotations?.[former] !== undefined) return;
      const found = defaultClass(classes.in(''), [mark])?.metadata.name;
      if (found !== undefined) object.spec = { ...object.spec, ingressClassName: found };
    },
  });
}
