import type * as z from 'zod';
import type { ApiObject, StoredObject } from '../../../meta/object.js';
import type { container, ephemeralContainer } from './container-schema.js';
import type { probe } from './probe-schema.js';
import type { resourceRequirements } from './resource-requirements-schema.js';
import type { podSpec } from './spec-schema.js';
import type { podStatus } from './status-schema.js';
import type { volume } from './volume-schema.js';

export type PodSpec = z.output<ReturnType<typeof podSpec>>;
export type PodStatus = z.output<ReturnType<typeof podStatus>>;
export type Container = z.output<ReturnType<typeof container>>;
export type EphemeralContainer = z.output<ReturnType<typeof ephemeralContainer>>;
export type Volume = z.output<ReturnType<typeof volume>>;
export type Probe = z.output<ReturnType<typeof probe>>;
export type ResourceRequirements = z.output<ReturnType<typeof resourceRequirements>>;
export type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number];

/** The fields of a pod besides apiVersion, kind and metadata. */
export interface PodFields {
  spec?: PodSpec | undefined;
  status?: PodStatus | undefined;
}

/** A mutable pod. */
export type PodObject = ApiObject & PodFields;
/** An immutable pod. */
export type StoredPod = StoredObject & Readonly<PodFields>;
