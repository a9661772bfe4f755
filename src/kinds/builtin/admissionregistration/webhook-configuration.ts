import { inSlices, UNBOUNDED_WORK, type FieldError, type Steps } from '../../../foundation/index.js';
import type { RequestContext } from '../../../registry/index.js';
import type { admissionregistrationV1 } from '../../types/index.js';
import type { Behaviour } from '../behaviour.js';
import { loadExpressions } from '../shared/expressions.js';
import { webhookErrors } from './validate-webhooks.js';

const errorsOf = (
  { work = UNBOUNDED_WORK }: RequestContext,
  steps: Steps<FieldError[]>,
): FieldError[] | Promise<FieldError[]> => inSlices(work, steps, 'definition');

/** The configurations of validating webhooks. */
export const validatingWebhooks: Behaviour<admissionregistrationV1.ValidatingWebhookConfiguration> = {
  strategy: {
    countsGeneration: true,
    allowUnconditionalUpdate: false,
    load: ({ webhooks }) => (webhooks?.some(hasConditions) === true ? loadExpressions() : undefined),
    validateNew: ({ webhooks = [] }, context) => errorsOf(context, webhookErrors(webhooks, undefined, context)),
    validateChange: ({ webhooks = [] }, old, context) =>
      errorsOf(context, webhookErrors(webhooks, old.webhooks ?? [], context)),
  },
  cells: { Webhooks: ({ webhooks = [] }) => webhooks.length },
};

/** The configurations of mutating webhooks. */
export const mutatingWebhooks: Behaviour<admissionregistrationV1.MutatingWebhookConfiguration> = {
  strategy: {
    countsGeneration: true,
    allowUnconditionalUpdate: false,
    load: ({ webhooks }) => (webhooks?.some(hasConditions) === true ? loadExpressions() : undefined),
    validateNew: ({ webhooks = [] }, context) => errorsOf(context, webhookErrors(webhooks, undefined, context)),
    validateChange: ({ webhooks = [] }, old, context) =>
      errorsOf(context, webhookErrors(webhooks, old.webhooks ?? [], context)),
  },
  cells: { Webhooks: ({ webhooks = [] }) => webhooks.length },
};

const hasConditions = ({ matchConditions }: { readonly matchConditions?: readonly object[] | undefined }): boolean =>
  matchConditions !== undefined && matchConditions.length > 0;
