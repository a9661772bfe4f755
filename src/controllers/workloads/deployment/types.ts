import type { appsV1, Deployment, ReplicaSet } from '../../../kinds/index.js';
import type { ObjectOf } from '../../../registry/index.js';

export type DeploymentObject = ObjectOf<typeof Deployment>;
export type ReplicaSetObject = ObjectOf<typeof ReplicaSet>;
export type DeploymentStatus = appsV1.DeploymentStatus;
export type DeploymentCondition = appsV1.DeploymentCondition;
