import type { appsV1, coreV1 } from '../../../kinds/types/index.js';
import type { ObjectOf } from '../../../registry/definition/definition.js';
import type { StatefulSet } from '../../../kinds/builtin/apps/kinds.js';
import type { PersistentVolumeClaim } from '../../../kinds/builtin/core/kinds.js';

export type StatefulSetObject = ObjectOf<typeof StatefulSet>;
export type StatefulSetStatus = appsV1.StatefulSetStatus;
export type ClaimObject = ObjectOf<typeof PersistentVolumeClaim>;
export type ClaimTemplate = coreV1.PersistentVolumeClaim;
