import type { appsV1 } from '../../../kinds/types/index.js';
import type { ObjectOf } from '../../../registry/definition/definition.js';
import type { Deployment, ReplicaSet } from '../../../kinds/builtin/apps/kinds.js';

export type DeploymentObject = ObjectOf<typeof Deployment>;
export type ReplicaSetObject = ObjectOf<typeof ReplicaSet>;
export type DeploymentStatus = appsV1.DeploymentStatus;
export type DeploymentCondition = appsV1.DeploymentCondition;
