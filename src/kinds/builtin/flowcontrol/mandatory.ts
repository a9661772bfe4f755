/**
 * The schemas and priority levels that every server has. Their specs are fixed, except for the shares of the exempt
 * level.
 *
 * @module
 */
import type { flowcontrolV1 } from '../../types/index.js';
import { everythingFor, groups } from './rules.js';

/** Name of the schema and the level of requests that are never limited. */
export const EXEMPT = 'exempt';
/** Name of the schema and the level of all other requests. */
export const CATCH_ALL = 'catch-all';

/** The specs of the mandatory flow schemas, by name. */
export const mandatoryFlowSchemas: ReadonlyMap<string, flowcontrolV1.FlowSchemaSpec> = new Map([
  [
    EXEMPT,
    {
      priorityLevelConfiguration: { name: EXEMPT },
      matchingPrecedence: 1,
      rules: [everythingFor(groups('system:masters'))],
    },
  ],
  [
    CATCH_ALL,
    {
      priorityLevelConfiguration: { name: CATCH_ALL },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: 'ByUser' },
      rules: [everythingFor(groups('system:unauthenticated', 'system:authenticated'))],
    },
  ],
]);

/** The specs of the mandatory priority levels, by name. */
export const mandatoryPriorityLevels: ReadonlyMap<string, flowcontrolV1.PriorityLevelConfigurationSpec> = new Map([
  [EXEMPT, { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  [
    CATCH_ALL,
    {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
    },
  ],
]);
