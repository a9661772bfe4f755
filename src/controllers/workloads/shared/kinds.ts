/**
 * Types of the objects that the controllers of workloads read and write.
 *
 * @module
 */
import type { coreV1, Node, Pod } from '../../../kinds/index.js';
import type { ObjectOf } from '../../../registry/index.js';

/** A pod as the API returns it. */
export type PodObject = ObjectOf<typeof Pod>;

/** A node as the API returns it. */
export type NodeObject = ObjectOf<typeof Node>;

/** The template of the pods of a workload. */
export type PodTemplate = coreV1.PodTemplateSpec;
