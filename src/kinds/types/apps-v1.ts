// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { JsonValue, ObjectMeta } from '../../foundation/index.js';
import type { PersistentVolumeClaim, PodTemplateSpec } from './core-v1.js';
import type { LabelSelector, ListMeta } from './meta-v1.js';

/** ControllerRevision of version v1 of the group apps. */
export type ControllerRevision = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  data?: JsonValue | null | undefined;
  revision: number;
};

/** ControllerRevisionList of version v1 of the group apps. */
export type ControllerRevisionList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ControllerRevision[];
};

/** DaemonSet of version v1 of the group apps. */
export type DaemonSet = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: DaemonSetSpec | undefined;
  status?: DaemonSetStatus | undefined;
};

export type DaemonSetCondition = {
  type: string;
  status: string;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

/** DaemonSetList of version v1 of the group apps. */
export type DaemonSetList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: DaemonSet[];
};

export type DaemonSetSpec = {
  selector: LabelSelector;
  template: PodTemplateSpec;
  updateStrategy?: DaemonSetUpdateStrategy | undefined;
  minReadySeconds?: number | undefined;
  revisionHistoryLimit?: number | undefined;
};

export type DaemonSetStatus = {
  currentNumberScheduled: number;
  numberMisscheduled: number;
  desiredNumberScheduled: number;
  numberReady: number;
  observedGeneration?: number | undefined;
  updatedNumberScheduled?: number | undefined;
  numberAvailable?: number | undefined;
  numberUnavailable?: number | undefined;
  collisionCount?: number | undefined;
  conditions?: DaemonSetCondition[] | undefined;
};

export type DaemonSetUpdateStrategy = {
  type?: string | undefined;
  rollingUpdate?: RollingUpdateDaemonSet | undefined;
};

/** Deployment of version v1 of the group apps. */
export type Deployment = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: DeploymentSpec | undefined;
  status?: DeploymentStatus | undefined;
};

export type DeploymentCondition = {
  type: string;
  status: string;
  reason?: string | undefined;
  message?: string | undefined;
  lastUpdateTime?: string | null | undefined;
  lastTransitionTime?: string | null | undefined;
};

/** DeploymentList of version v1 of the group apps. */
export type DeploymentList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Deployment[];
};

export type DeploymentSpec = {
  replicas?: number | undefined;
  selector: LabelSelector;
  template: PodTemplateSpec;
  strategy?: DeploymentStrategy | undefined;
  minReadySeconds?: number | undefined;
  revisionHistoryLimit?: number | undefined;
  paused?: boolean | undefined;
  progressDeadlineSeconds?: number | undefined;
};

export type DeploymentStatus = {
  observedGeneration?: number | undefined;
  replicas?: number | undefined;
  updatedReplicas?: number | undefined;
  availableReplicas?: number | undefined;
  unavailableReplicas?: number | undefined;
  conditions?: DeploymentCondition[] | undefined;
  readyReplicas?: number | undefined;
  collisionCount?: number | undefined;
};

export type DeploymentStrategy = {
  type?: string | undefined;
  rollingUpdate?: RollingUpdateDeployment | undefined;
};

/** ReplicaSet of version v1 of the group apps. */
export type ReplicaSet = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: ReplicaSetSpec | undefined;
  status?: ReplicaSetStatus | undefined;
};

export type ReplicaSetCondition = {
  type: string;
  status: string;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

/** ReplicaSetList of version v1 of the group apps. */
export type ReplicaSetList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ReplicaSet[];
};

export type ReplicaSetSpec = {
  replicas?: number | undefined;
  selector: LabelSelector;
  template?: PodTemplateSpec | undefined;
  minReadySeconds?: number | undefined;
};

export type ReplicaSetStatus = {
  replicas: number;
  fullyLabeledReplicas?: number | undefined;
  observedGeneration?: number | undefined;
  readyReplicas?: number | undefined;
  availableReplicas?: number | undefined;
  conditions?: ReplicaSetCondition[] | undefined;
};

export type RollingUpdateDaemonSet = {
  maxUnavailable?: number | string | undefined;
  maxSurge?: number | string | undefined;
};

export type RollingUpdateDeployment = {
  maxUnavailable?: number | string | undefined;
  maxSurge?: number | string | undefined;
};

export type RollingUpdateStatefulSetStrategy = {
  partition?: number | undefined;
  maxUnavailable?: number | string | undefined;
};

/** StatefulSet of version v1 of the group apps. */
export type StatefulSet = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: StatefulSetSpec | undefined;
  status?: StatefulSetStatus | undefined;
};

export type StatefulSetCondition = {
  type: string;
  status: string;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

/** StatefulSetList of version v1 of the group apps. */
export type StatefulSetList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: StatefulSet[];
};

export type StatefulSetOrdinals = {
  start?: number | undefined;
};

export type StatefulSetPersistentVolumeClaimRetentionPolicy = {
  whenDeleted?: string | undefined;
  whenScaled?: string | undefined;
};

export type StatefulSetSpec = {
  replicas?: number | undefined;
  selector: LabelSelector;
  template: PodTemplateSpec;
  volumeClaimTemplates?: PersistentVolumeClaim[] | undefined;
  serviceName: string;
  podManagementPolicy?: string | undefined;
  updateStrategy?: StatefulSetUpdateStrategy | undefined;
  revisionHistoryLimit?: number | undefined;
  minReadySeconds?: number | undefined;
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy | undefined;
  ordinals?: StatefulSetOrdinals | undefined;
};

export type StatefulSetStatus = {
  observedGeneration?: number | undefined;
  replicas: number;
  readyReplicas?: number | undefined;
  currentReplicas?: number | undefined;
  updatedReplicas?: number | undefined;
  currentRevision?: string | undefined;
  updateRevision?: string | undefined;
  collisionCount?: number | undefined;
  conditions?: StatefulSetCondition[] | undefined;
  availableReplicas?: number | undefined;
};

export type StatefulSetUpdateStrategy = {
  type?: string | undefined;
  rollingUpdate?: RollingUpdateStatefulSetStrategy | undefined;
};
