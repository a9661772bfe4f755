import type { appsV1 } from '../../types/index.js';
import { Scale } from '../autoscaling/scale.js';
import { builtinKind } from '../builtin-kind.js';

/** ControllerRevision of version v1. */
export const ControllerRevision = builtinKind<appsV1.ControllerRevision>('apps.v1.ControllerRevision', {
  load: () => import('./controller-revision.js').then((m) => m.controllerRevisionBehaviour),
});

/** An object of the kind {@link ControllerRevision}. */
export type ControllerRevision = appsV1.ControllerRevision;

/** DaemonSet of version v1. */
export const DaemonSet = builtinKind<appsV1.DaemonSet>('apps.v1.DaemonSet', {
  load: () => import('./daemon-set/behaviour.js').then((m) => m.daemonSetBehaviour),
});

/** An object of the kind {@link DaemonSet}. */
export type DaemonSet = appsV1.DaemonSet;

/** Deployment of version v1. */
export const Deployment = builtinKind<appsV1.Deployment>('apps.v1.Deployment', {
  load: () => import('./deployment/behaviour.js').then((m) => m.deploymentBehaviour),
  kinds: { scale: Scale },
});

/** An object of the kind {@link Deployment}. */
export type Deployment = appsV1.Deployment;

/** ReplicaSet of version v1. */
export const ReplicaSet = builtinKind<appsV1.ReplicaSet>('apps.v1.ReplicaSet', {
  load: () => import('./replica-set/behaviour.js').then((m) => m.replicaSetBehaviour),
  kinds: { scale: Scale },
});

/** An object of the kind {@link ReplicaSet}. */
export type ReplicaSet = appsV1.ReplicaSet;

/** StatefulSet of version v1. */
export const StatefulSet = builtinKind<appsV1.StatefulSet>('apps.v1.StatefulSet', {
  load: () => import('./stateful-set/behaviour.js').then((m) => m.statefulSetBehaviour),
  kinds: { scale: Scale },
});

/** An object of the kind {@link StatefulSet}. */
export type StatefulSet = appsV1.StatefulSet;
