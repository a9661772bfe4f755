import { statusSubresource } from '../../../registry/index.js';
import type { flowcontrolV1, flowcontrolV1beta3 } from '../../types/index.js';
import type { Behaviour } from '../behaviour.js';
import { NONE } from '../shared/columns.js';
import { sameFields } from '../shared/same-fields.js';
import { ownStatus } from '../shared/status-writes.js';
import { conditionErrors } from './validate-conditions.js';
import { flowSchemaErrors } from './validate-flow-schema.js';

const DEFAULT_PRECEDENCE = 1000;

/** Schemas that assign requests to priority levels. */
export const flowSchema: Behaviour<flowcontrolV1.FlowSchema> = {
  strategy: {
    countsGeneration: true,
    defaults({ spec }) {
      // The field is always written, so the schema takes its zero for a value.
      if (spec?.matchingPrecedence === 0) spec.matchingPrecedence = DEFAULT_PRECEDENCE;
    },
    ...ownStatus(),
    validate: ({ metadata, spec }, { work }) =>
      spec === undefined ? [] : flowSchemaErrors(metadata.name ?? '', spec, work),
  },
  subresources: {
    status: {
      ...statusSubresource.strategy,
      validateUpdate: ({ status }, _old, { work }) => conditionErrors(status?.conditions, work),
    },
  },
  cells: {
    PriorityLevel: ({ spec }) => spec?.priorityLevelConfiguration.name ?? '',
    MatchingPrecedence: ({ spec }) => spec?.matchingPrecedence ?? 0,
    DistinguisherMethod: ({ spec }) => spec?.distinguisherMethod?.type ?? NONE,
    MissingPL: ({ status }) => status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
  },
};

/** {@link flowSchema} in version v1beta3. */
export const flowSchemaV1beta3: Behaviour<flowcontrolV1beta3.FlowSchema> = { ...flowSchema, conversion: sameFields() };
