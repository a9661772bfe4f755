import type { flowcontrolV1, flowcontrolV1beta3 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** FlowSchema of version v1. */
export const FlowSchema = builtinKind<flowcontrolV1.FlowSchema>('flowcontrol.v1.FlowSchema', {
  load: () => import('./flow-schema.js').then((m) => m.flowSchema),
});

/** An object of the kind {@link FlowSchema}. */
export type FlowSchema = flowcontrolV1.FlowSchema;

/** PriorityLevelConfiguration of version v1. */
export const PriorityLevelConfiguration = builtinKind<flowcontrolV1.PriorityLevelConfiguration>(
  'flowcontrol.v1.PriorityLevelConfiguration',
  { load: () => import('./priority-level.js').then((m) => m.priorityLevel) },
);

/** An object of the kind {@link PriorityLevelConfiguration}. */
export type PriorityLevelConfiguration = flowcontrolV1.PriorityLevelConfiguration;

/** FlowSchema of version v1beta3. */
export const FlowSchemaV1beta3 = builtinKind<flowcontrolV1beta3.FlowSchema>('flowcontrol.v1beta3.FlowSchema', {
  load: () => import('./flow-schema.js').then((m) => m.flowSchemaV1beta3),
  hub: FlowSchema,
});

/** An object of the kind {@link FlowSchemaV1beta3}. */
export type FlowSchemaV1beta3 = flowcontrolV1beta3.FlowSchema;

/** PriorityLevelConfiguration of version v1beta3. */
export const PriorityLevelConfigurationV1beta3 = builtinKind<flowcontrolV1beta3.PriorityLevelConfiguration>(
  'flowcontrol.v1beta3.PriorityLevelConfiguration',
  { load: () => import('./priority-level.js').then((m) => m.priorityLevelV1beta3), hub: PriorityLevelConfiguration },
);

/** An object of the kind {@link PriorityLevelConfigurationV1beta3}. */
export type PriorityLevelConfigurationV1beta3 = flowcontrolV1beta3.PriorityLevelConfiguration;
