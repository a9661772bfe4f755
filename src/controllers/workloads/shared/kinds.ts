/**
 * Types of the objects that the controllers of workloads read and write.
 *
 * @module
 */
import type { coreV1 } from '../../../kinds/types/index.js';
import type { ObjectOf } from '../../../registry/definition/definition.js';
import type { Node, Pod } from '../../../kinds/builtin/index.js';

/** A pod as the API returns it. */
export type PodObject = ObjectOf<typeof Pod>;

/** A node as the API returns it. */
export type NodeObject = ObjectOf<typeof Node>;

/** The template of the pods of a workload. */
export type PodTemplate = coreV1.PodTemplateSpec;
