import { Service } from '../../kinds/index.js';
import { defineAdmissionPlugin, type AdmissionPlugin } from '../../registry/index.js';
import { admissionRefusal } from '../refusal.js';

/** Refuses services that take addresses whose owner the cluster does not know. Existing ones stay. */
export function denyServiceExternalIPs(): AdmissionPlugin {
  return defineAdmissionPlugin({
    name: 'DenyServiceExternalIPs',
    kinds: [Service],
    operations: ['CREATE', 'UPDATE'],
    validate(attributes) {
      const { object, oldObject, subresource } = attributes;
      if (subresource !== '') return;
      const before = oldObject?.spec?.externalIPs ?? [];
      if ((object.spec?.externalIPs ?? []).every((address) => before.includes(address))) return;
      throw admissionRefusal(attributes, 'Use of external IPs is denied by admission control');
    },
  });
}
