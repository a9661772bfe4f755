import {
  forbidden,
  invalid,
  qualifiedName,
  required,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../../foundation/index.js';
import type { coreV1 } from '../../../types/index.js';

type Requirement = coreV1.NodeSelectorRequirement;

/** Adds the errors of a node selector: at least one term, each with valid requirements on labels and fields. */
export function* validateNodeSelector(
  errors: FieldErrorList,
  path: string,
  { nodeSelectorTerms: terms }: coreV1.NodeSelector,
): Steps<void> {
  const at = `${path}.nodeSelectorTerms`;
  if (terms.length === 0) errors.push(required(at, 'must have at least one node selector term'));
  for (const [index, { matchExpressions = [], matchFields = [] }] of terms.entries()) {
    if (errors.spend()) yield;
    for (const [position, requirement] of matchExpressions.entries()) {
      if (errors.spend()) yield;
      validateRequirement(errors, `${at}[${index}].matchExpressions[${position}]`, requirement);
    }
    for (const [position, requirement] of matchFields.entries()) {
      if (errors.spend()) yield;
      validateFieldRequirement(errors, `${at}[${index}].matchFields[${position}]`, requirement);
    }
  }
}

function validateRequirement(errors: FieldError[], path: string, { key, operator, values = [] }: Requirement): void {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0)
        errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1)
        errors.push(required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      errors.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  }
  for (const problem of qualifiedName(key)) errors.push(invalid(`${path}.key`, key, problem));
}

/** Validates a requirement on a field of nodes; only the name can be selected. */
function validateFieldRequirement(
  errors: FieldError[],
  path: string,
  { key, operator, values = [] }: Requirement,
): void {
  if (operator !== 'In' && operator !== 'NotIn')
    errors.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  else if (values.length !== 1)
    errors.push(
      required(`${path}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
    );
  if (key !== 'metadata.name') errors.push(invalid(`${path}.key`, key, 'not a valid field selector key'));
}
