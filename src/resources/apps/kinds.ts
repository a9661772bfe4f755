import { builtinKind } from '../builtin-kind.js';
import type { appsV1 } from '../../kinds/index.js';
import { plain } from '../plain.js';
import { Scale } from '../autoscaling/scale.js';

/** ControllerRevision of version v1. */
export const ControllerRevision = builtinKind<appsV1.ControllerRevision>('apps.v1.ControllerRevision', { load: plain });

/** DaemonSet of version v1. */
export const DaemonSet = builtinKind<appsV1.DaemonSet>('apps.v1.DaemonSet', { load: plain });

/** Deployment of version v1. */
export const Deployment = builtinKind<appsV1.Deployment>('apps.v1.Deployment', {
  load: plain,
  kinds: { scale: Scale },
});

/** ReplicaSet of version v1. */
export const ReplicaSet = builtinKind<appsV1.ReplicaSet>('apps.v1.ReplicaSet', {
  load: plain,
  kinds: { scale: Scale },
});

/** StatefulSet of version v1. */
export const StatefulSet = builtinKind<appsV1.StatefulSet>('apps.v1.StatefulSet', {
  load: plain,
  kinds: { scale: Scale },
});
