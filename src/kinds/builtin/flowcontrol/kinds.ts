import type { flowcontrolV1, flowcontrolV1beta3 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** FlowSchema of version v1. */
export const FlowSchema = builtinKind<flowcontrolV1.FlowSchema>('flowcontrol.v1.FlowSchema', {
  load: () => import('./flow-schema.js').then((m) => m.flowSchema),
});

/** PriorityLevelConfiguration of version v1. */
export const PriorityLevelConfiguration = builtinKind<flowcontrolV1.PriorityLevelConfiguration>(
  'flowcontrol.v1.PriorityLevelConfiguration',
  { load: () => import('./priority-level.js').then((m) => m.priorityLevel) },
);

/** FlowSchema of version v1beta3. */
export const FlowSchemaV1beta3 = builtinKind<flowcontrolV1beta3.FlowSchema>('flowcontrol.v1beta3.FlowSchema', {
  load: () => import('./flow-schema.js').then((m) => m.flowSchemaV1beta3),
  hub: FlowSchema,
});

/** PriorityLevelConfiguration of version v1beta3. */
export const PriorityLevelConfigurationV1beta3 = builtinKind<flowcontrolV1beta3.PriorityLevelConfiguration>(
  'flowcontrol.v1beta3.PriorityLevelConfiguration',
  { load: () => import('./priority-level.js').then((m) => m.priorityLevelV1beta3), hub: PriorityLevelConfiguration },
);
