import type { appsV1, coreV1 } from '../../../kinds/index.js';
import type { ObjectOf } from '../../../registry/definition.js';
import type { StatefulSet } from '../../../resources/apps/kinds.js';
import type { PersistentVolumeClaim } from '../../../resources/core/kinds.js';

export type StatefulSetObject = ObjectOf<typeof StatefulSet>;
export type StatefulSetStatus = appsV1.StatefulSetStatus;
export type ClaimObject = ObjectOf<typeof PersistentVolumeClaim>;
export type ClaimTemplate = coreV1.PersistentVolumeClaim;
