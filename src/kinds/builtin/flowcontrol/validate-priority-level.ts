import {
  appendErrors,
  equalJson,
  FieldErrorList,
  forbidden,
  invalid,
  notSupported,
  required,
  type FieldError,
} from '../../../foundation/index.js';
import type { flowcontrolV1 } from '../../types/index.js';
import { EXEMPT, mandatoryPriorityLevels } from './mandatory.js';

type Spec = flowcontrolV1.PriorityLevelConfigurationSpec;
type Limited = flowcontrolV1.LimitedPriorityLevelConfiguration;
type Queuing = flowcontrolV1.QueuingConfiguration;

const TYPES = ['Exempt', 'Limited'];
const RESPONSES = ['Queue', 'Reject'];
const MAX_QUEUES = 10_000_000;
/** Bits of the hash that selects the queues of a flow. */
const HASH_BITS = 60;
const NOT_NEGATIVE = 'must be a non-negative integer';
const PERCENT = 'must be between 0 and 100, inclusive';

/** Returns the errors of the spec of a priority level. */
export function priorityLevelErrors(name: string, spec: Spec): FieldError[] {
  const errors = new FieldErrorList();
  const { type, limited, exempt } = spec;
  if ((name === EXEMPT) !== (type === 'Exempt'))
    errors.push(invalid('spec.type', type, "type must be 'Exempt' if and only if name is 'exempt'"));
  if (type === 'Exempt') {
    if (limited !== undefined) errors.push(forbidden('spec.limited', 'must be nil if the type is not Limited'));
    if (exempt !== undefined) validateExempt(errors, 'spec.exempt', exempt);
  } else if (type === 'Limited') {
    if (exempt !== undefined) errors.push(forbidden('spec.exempt', 'must be nil if the type is Limited'));
    if (limited === undefined) errors.push(required('spec.limited', 'must not be empty when type is Limited'));
    else validateLimited(errors, 'spec.limited', limited);
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

const isPercent = (value: number): boolean => value >= 0 && value <= 100;

function validateExempt(
  errors: FieldError[],
  path: string,
  {
    nominalConcurrencyShares: shares = 0,
    lendablePercent: lendable = 0,
  }: flowcontrolV1.ExemptPriorityLevelConfiguration,
): void {
  if (shares < 0) errors.push(invalid(`${path}.nominalConcurrencyShares`, shares, NOT_NEGATIVE));
  if (!isPercent(lendable)) errors.push(invalid(`${path}.lendablePercent`, lendable, PERCENT));
}

function validateLimited(errors: FieldError[], path: string, limited: Limited): void {
  const { limitResponse = { type: '' }, lendablePercent: lendable = 0, borrowingLimitPercent: borrowed } = limited;
  const shares = limited.nominalConcurrencyShares ?? 0;
  if (shares < 0) errors.push(invalid(`${path}.nominalConcurrencyShares`, shares, NOT_NEGATIVE));
  validateResponse(errors, `${path}.limitResponse`, limitResponse);
  if (!isPercent(lendable)) errors.push(invalid(`${path}.lendablePercent`, lendable, PERCENT));
  if (borrowed !== undefined && borrowed < 0)
    errors.push(invalid(`${path}.borrowingLimitPercent`, borrowed, 'if specified, must be a non-negative integer'));
}

function validateResponse(errors: FieldError[], path: string, { type, queuing }: flowcontrolV1.LimitResponse): void {
  if (type === 'Reject') {
    if (queuing !== undefined)
      errors.push(forbidden(`${path}.queuing`, 'must be nil if limited.limitResponse.type is not Limited'));
  } else if (type === 'Queue') {
    if (queuing === undefined)
      errors.push(required(`${path}.queuing`, 'must not be empty if limited.limitResponse.type is Limited'));
    else validateQueuing(errors, `${path}.queuing`, queuing);
  } else errors.push(notSupported(`${path}.type`, type, RESPONSES));
}

function validateQueuing(
  errors: FieldError[],
  path: string,
  { queueLengthLimit: limit = 0, queues = 0, handSize = 0 }: Queuing,
): void {
  if (limit <= 0) errors.push(invalid(`${path}.queueLengthLimit`, limit, 'must be positive'));
  if (queues <= 0) errors.push(invalid(`${path}.queues`, queues, 'must be positive'));
  else if (queues > MAX_QUEUES)
    errors.push(invalid(`${path}.queues`, queues, `must not be greater than ${MAX_QUEUES}`));
  const problem = handSizeProblem(handSize, queues);
  if (problem !== undefined) errors.push(invalid(`${path}.handSize`, handSize, problem));
}

function handSizeProblem(handSize: number, queues: number): string | undefined {
  if (handSize <= 0) return 'must be positive';
  if (handSize > queues) return `should not be greater than queues (${queues})`;
  const bits = Math.ceil(Math.log2(queues) * handSize);
  return bits > HASH_BITS
    ? `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${HASH_BITS}`
    : undefined;
}
