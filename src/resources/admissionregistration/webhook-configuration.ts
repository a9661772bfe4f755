import type { admissionregistrationV1 } from '../../kinds/index.js';
import type { Behaviour } from '../behaviour.js';
import { loadExpressions } from '../shared/expressions.js';
import { webhookErrors } from './validate-webhooks.js';

/** The configurations of validating webhooks. */
export const validatingWebhooks: Behaviour<admissionregistrationV1.ValidatingWebhookConfiguration> = {
  strategy: {
    countsGeneration: true,
    allowUnconditionalUpdate: false,
    load: ({ webhooks }) => (webhooks?.some(hasConditions) === true ? loadExpressions() : undefined),
    validate: ({ webhooks = [] }, context, old) =>
      webhookErrors(webhooks, old === undefined ? undefined : (old.webhooks ?? []), context),
  },
  cells: { Webhooks: ({ webhooks = [] }) => webhooks.length },
};

/** The configurations of mutating webhooks. */
export const mutatingWebhooks: Behaviour<admissionregistrationV1.MutatingWebhookConfiguration> = {
  strategy: {
    countsGeneration: true,
    allowUnconditionalUpdate: false,
    load: ({ webhooks }) => (webhooks?.some(hasConditions) === true ? loadExpressions() : undefined),
    validate: ({ webhooks = [] }, context, old) =>
      webhookErrors(webhooks, old === undefined ? undefined : (old.webhooks ?? []), context),
  },
  cells: { Webhooks: ({ webhooks = [] }) => webhooks.length },
};

const hasConditions = ({ matchConditions }: { readonly matchConditions?: readonly object[] | undefined }): boolean =>
  matchConditions !== undefined && matchConditions.length > 0;
