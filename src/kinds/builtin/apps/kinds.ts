import type { appsV1 } from '../../types/index.js';
import { Scale } from '../autoscaling/scale.js';
import { builtinKind } from '../builtin-kind.js';

/** ControllerRevision of version v1. */
export const ControllerRevision = builtinKind<appsV1.ControllerRevision>('apps.v1.ControllerRevision', {
  load: () => import('./controller-revision.js').then((m) => m.controllerRevisionBehaviour),
});

/** DaemonSet of version v1. */
export const DaemonSet = builtinKind<appsV1.DaemonSet>('apps.v1.DaemonSet', {
  load: () => import('./daemon-set/behaviour.js').then((m) => m.daemonSetBehaviour),
});

/** Deployment of version v1. */
export const Deployment = builtinKind<appsV1.Deployment>('apps.v1.Deployment', {
  load: () => import('./deployment/behaviour.js').then((m) => m.deploymentBehaviour),
  kinds: { scale: Scale },
});

/** ReplicaSet of version v1. */
export const ReplicaSet = builtinKind<appsV1.ReplicaSet>('apps.v1.ReplicaSet', {
  load: () => import('./replica-set/behaviour.js').then((m) => m.replicaSetBehaviour),
  kinds: { scale: Scale },
});

/** StatefulSet of version v1. */
export const StatefulSet = builtinKind<appsV1.StatefulSet>('apps.v1.StatefulSet', {
  load: () => import('./stateful-set/behaviour.js').then((m) => m.statefulSetBehaviour),
  kinds: { scale: Scale },
});
