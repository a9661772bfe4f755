import type { AdmissionOperation, AdmissionPlugin } from '../../registry/index.js';
import { admissionRefusal } from '../refusal.js';

const OPERATIONS: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

/** Admits everything. Kubernetes has it for configurations that must name a plugin. */
export const alwaysAdmit: AdmissionPlugin = {
  name: 'AlwaysAdmit',
  operations: OPERATIONS,
  validate: () => undefined,
};

/** Refuses every write, for tests. */
export const alwaysDeny: AdmissionPlugin = {
  name: 'AlwaysDeny',
  operations: OPERATIONS,
  mutate: (attributes) => {
    throw admissionRefusal(attributes, 'admission control is denying all modifications');
  },
  validate: (attributes) => {
    throw admissionRefusal(attributes, 'admission control is denying all modifications');
  },
};
