import type { Incomplete } from '../../../../registry/index.js';
import type { coreV1 } from '../../../types/index.js';
import type { StoredKind } from '../../behaviour.js';

export type PodSpec = coreV1.PodSpec;
export type PodStatus = coreV1.PodStatus;
export type Container = coreV1.Container;
export type EphemeralContainer = coreV1.EphemeralContainer;
export type Volume = coreV1.Volume;
export type Probe = coreV1.Probe;
export type ResourceRequirements = coreV1.ResourceRequirements;
export type ContainerStatus = coreV1.ContainerStatus;
export type PodTemplateSpec = coreV1.PodTemplateSpec;

/** A pod as it is stored: the strategy has set the defaults of every field that needs one. */
export type StoredPod = StoredKind<coreV1.Pod>;
/** A template before validation: any field may be missing. */
export type UnvalidatedTemplate = Incomplete<PodTemplateSpec>;
