import type { appsV1, coreV1, PersistentVolumeClaim, StatefulSet } from '../../../kinds/index.js';
import type { ObjectOf } from '../../../registry/index.js';

export type StatefulSetObject = ObjectOf<typeof StatefulSet>;
export type StatefulSetStatus = appsV1.StatefulSetStatus;
export type ClaimObject = ObjectOf<typeof PersistentVolumeClaim>;
export type ClaimTemplate = coreV1.PersistentVolumeClaim;
