import type { coreV1 } from '../../types/index.js';
import { Scale } from '../autoscaling/scale.js';
import { builtinKind } from '../builtin-kind.js';

/** ComponentStatus of version v1. */
export const ComponentStatus = builtinKind<coreV1.ComponentStatus>('core.v1.ComponentStatus', {
  load: () => import('./component-status.js').then((m) => m.componentStatusBehaviour),
});

/** An object of the kind {@link ComponentStatus}. */
export type ComponentStatus = coreV1.ComponentStatus;

/** Endpoints of version v1. */
export const Endpoints = builtinKind<coreV1.Endpoints>('core.v1.Endpoints', {
  load: () => import('./endpoints/behaviour.js').then((module) => module.endpointsBehaviour),
});

/** An object of the kind {@link Endpoints}. */
export type Endpoints = coreV1.Endpoints;

/** LimitRange of version v1. */
export const LimitRange = builtinKind<coreV1.LimitRange>('core.v1.LimitRange', {
  load: () => import('./limit-range.js').then((m) => m.limitRangeBehaviour),
});

/** An object of the kind {@link LimitRange}. */
export type LimitRange = coreV1.LimitRange;

/** PersistentVolumeClaim of version v1. */
export const PersistentVolumeClaim = builtinKind<coreV1.PersistentVolumeClaim>('core.v1.PersistentVolumeClaim', {
  load: () => import('./persistent-volume-claim/behaviour.js').then((m) => m.persistentVolumeClaimBehaviour),
});

/** An object of the kind {@link PersistentVolumeClaim}. */
export type PersistentVolumeClaim = coreV1.PersistentVolumeClaim;

/** PersistentVolume of version v1. */
export const PersistentVolume = builtinKind<coreV1.PersistentVolume>('core.v1.PersistentVolume', {
  load: () => import('./persistent-volume/behaviour.js').then((m) => m.persistentVolumeBehaviour),
});

/** An object of the kind {@link PersistentVolume}. */
export type PersistentVolume = coreV1.PersistentVolume;

/** PodTemplate of version v1. */
export const PodTemplate = builtinKind<coreV1.PodTemplate>('core.v1.PodTemplate', {
  load: () => import('./pod-template.js').then((m) => m.podTemplateBehaviour),
});

/** An object of the kind {@link PodTemplate}. */
export type PodTemplate = coreV1.PodTemplate;

/** ReplicationController of version v1. */
export const ReplicationController = builtinKind<coreV1.ReplicationController>('core.v1.ReplicationController', {
  load: () => import('./replication-controller/behaviour.js').then((m) => m.replicationControllerBehaviour),
  kinds: { scale: Scale },
});

/** An object of the kind {@link ReplicationController}. */
export type ReplicationController = coreV1.ReplicationController;

/** ResourceQuota of version v1. */
export const ResourceQuota = builtinKind<coreV1.ResourceQuota>('core.v1.ResourceQuota', {
  load: () => import('./resource-quota/behaviour.js').then((m) => m.resourceQuotaBehaviour),
});

/** An object of the kind {@link ResourceQuota}. */
export type ResourceQuota = coreV1.ResourceQuota;

/** Service of version v1. */
export const Service = builtinKind<coreV1.Service>('core.v1.Service', {
  load: () => import('./service/behaviour.js').then((module) => module.serviceBehaviour),
});

/** An object of the kind {@link Service}. */
export type Service = coreV1.Service;
