import {
  appendErrors,
  equalJson,
  FieldErrorList,
  forbidden,
  invalid,
  notSupported,
  required,
  resultOf,
  type FieldError,
  type Steps,
} from '../../../foundation/index.js';
import type { flowcontrolV1 } from '../../types/index.js';
import { absentAs, allOf, atLeast, atMost, between, fields, mandatory } from '../shared/field-rules.js';
import { EXEMPT, mandatoryPriorityLevels } from './mandatory.js';

type Spec = flowcontrolV1.PriorityLevelConfigurationSpec;

const TYPES = ['Exempt', 'Limited'];
const MAX_QUEUES = 10_000_000;
/** Bits of the hash that selects the queues of a flow. */
const HASH_BITS = 60;
const shares = atLeast(0, 'must be a non-negative integer');
const percent = between(0, 100);
const positive = atLeast(1, 'must be positive');

const exemptRules = fields<flowcontrolV1.ExemptPriorityLevelConfiguration>({
  nominalConcurrencyShares: shares,
  lendablePercent: percent,
});

/** Returns the errors of the spec of a priority level. */
export function* priorityLevelErrors(name: string, spec: Spec): Steps<FieldErrorList> {
  const errors = new FieldErrorList();
  const { type, limited, exempt } = spec;
  if ((name === EXEMPT) !== (type === 'Exempt'))
    errors.push(invalid('spec.type', type, "type must be 'Exempt' if and only if name is 'exempt'"));
  if (type === 'Exempt') {
    if (limited !== undefined) errors.push(forbidden('spec.limited', 'must be nil if the type is not Limited'));
    yield* resultOf(exemptRules(errors, 'spec.exempt', exempt));
  } else if (type === 'Limited') {
    if (exempt !== undefined) errors.push(forbidden('spec.exempt', 'must be nil if the type is Limited'));
    yield* resultOf(limitedRules(errors, 'spec.limited', limited));
  } else errors.push(notSupported('spec.type', type, TYPES));
  appendErrors(errors, fixedSpecErrors(name, spec));
  return errors;
}

/** Only the member `exempt` of the exempt level may be changed, and nothing of the other mandatory levels. */
function fixedSpecErrors(name: string, spec: Spec): FieldError[] {
  const fixed = mandatoryPriorityLevels.get(name);
  if (fixed === undefined) return [];
  if (name !== EXEMPT)
    return equalJson(spec, fixed) ? [] : [invalid('spec', spec, `spec of '${name}' must equal the fixed value`)];
  return equalJson({ ...spec, exempt: undefined }, { ...fixed, exempt: undefined })
    ? []
    : [invalid('spec', spec, `spec of '${name}' except the 'spec.exempt' field must equal the fixed value`)];
}

const NO_RESPONSE: flowcontrolV1.LimitResponse = { type: '' };

function* responseErrors(
  errors: FieldErrorList,
  path: string,
  { type, queuing }: flowcontrolV1.LimitResponse = NO_RESPONSE,
): Steps<void> {
  if (type === 'Reject') {
    if (queuing !== undefined)
      errors.push(forbidden(`${path}.queuing`, 'must be nil if limited.limitResponse.type is not Limited'));
  } else if (type === 'Queue') {
    if (queuing === undefined)
      errors.push(required(`${path}.queuing`, 'must not be empty if limited.limitResponse.type is Limited'));
    else yield* resultOf(queuingRules(errors, `${path}.queuing`, queuing));
  } else errors.push(notSupported(`${path}.type`, type, ['Queue', 'Reject']));
}

const limitedRules = mandatory(
  'must not be empty when type is Limited',
  fields<flowcontrolV1.LimitedPriorityLevelConfiguration>({
    nominalConcurrencyShares: shares,
    limitResponse: absentAs(NO_RESPONSE, responseErrors),
    lendablePercent: percent,
    borrowingLimitPercent: atLeast(0, 'if specified, must be a non-negative integer'),
  }),
);

const queuingRules = allOf<flowcontrolV1.QueuingConfiguration>(
  fields<flowcontrolV1.QueuingConfiguration>({
    queueLengthLimit: absentAs(0, positive),
    queues: absentAs(0, allOf(positive, atMost(MAX_QUEUES, `must not be greater than ${MAX_QUEUES}`))),
  }),
  (errors, path, { handSize = 0, queues = 0 } = {}) => {
    const problem = handSizeProblem(handSize, queues);
    if (problem !== undefined) errors.push(invalid(`${path}.handSize`, handSize, problem));
  },
);

function handSizeProblem(handSize: number, queues: number): string | undefined {
  if (handSize <= 0) return 'must be positive';
  if (handSize > queues) return `should not be greater than queues (${queues})`;
  const bits = Math.ceil(Math.log2(queues) * handSize);
  return bits > HASH_BITS
    ? `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${HASH_BITS}`
    : undefined;
}
