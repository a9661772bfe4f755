import type { appsV1 } from '../../../kinds/types/index.js';
import type { ObjectOf } from '../../../registry/definition/definition.js';
import type { DaemonSet } from '../../../kinds/builtin/apps/kinds.js';

export type DaemonSetObject = ObjectOf<typeof DaemonSet>;
export type DaemonSetStatus = appsV1.DaemonSetStatus;
