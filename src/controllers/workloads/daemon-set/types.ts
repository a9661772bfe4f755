import type { appsV1, DaemonSet } from '../../../kinds/index.js';
import type { ObjectOf } from '../../../registry/index.js';

export type DaemonSetObject = ObjectOf<typeof DaemonSet>;
export type DaemonSetStatus = appsV1.DaemonSetStatus;
