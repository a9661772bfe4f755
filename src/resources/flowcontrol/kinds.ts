import { builtinKind } from '../builtin-kind.js';
import type { flowcontrolV1, flowcontrolV1beta3 } from '../../kinds/index.js';
import { plain } from '../plain.js';

/** FlowSchema of version v1. */
export const FlowSchema = builtinKind<flowcontrolV1.FlowSchema>('flowcontrol.v1.FlowSchema', { load: plain });

/** PriorityLevelConfiguration of version v1. */
export const PriorityLevelConfiguration = builtinKind<flowcontrolV1.PriorityLevelConfiguration>(
  'flowcontrol.v1.PriorityLevelConfiguration',
  { load: plain },
);

/** FlowSchema of version v1beta3. */
export const FlowSchemaV1beta3 = builtinKind<flowcontrolV1beta3.FlowSchema>('flowcontrol.v1beta3.FlowSchema', {
  load: plain,
  hub: FlowSchema,
});

/** PriorityLevelConfiguration of version v1beta3. */
export const PriorityLevelConfigurationV1beta3 = builtinKind<flowcontrolV1beta3.PriorityLevelConfiguration>(
  'flowcontrol.v1beta3.PriorityLevelConfiguration',
  { load: plain, hub: PriorityLevelConfiguration },
);
