import type { appsV1 } from '../../../kinds/index.js';
import type { ObjectOf } from '../../../registry/definition.js';
import type { DaemonSet } from '../../../resources/apps/kinds.js';

export type DaemonSetObject = ObjectOf<typeof DaemonSet>;
export type DaemonSetStatus = appsV1.DaemonSetStatus;
