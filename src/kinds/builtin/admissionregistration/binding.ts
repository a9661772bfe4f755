import {
  dnsSubdomain,
  duplicate,
  FieldErrorList,
  forbidden,
  invalid,
  notSupported,
  pathSegment,
  required,
  resultOf,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { admissionregistrationV1 } from '../../types/index.js';
import type { Behaviour } from '../behaviour.js';
import { goSlice } from '../shared/go/go-values.js';
import { sameFields } from '../shared/same-fields.js';
import { mandatory, oneOf, valid } from '../shared/field-rules.js';
import { validateLabelSelector } from '../shared/selectors/validate-label-selector.js';
import { UNSET } from './policy.js';
import { matchRules } from './validate-rules.js';

type Spec = admissionregistrationV1.ValidatingAdmissionPolicyBindingSpec;

const ACTIONS = ['Audit', 'Deny', 'Warn'];
const EXCLUSIVE = 'name and selector are mutually exclusive';
const notFoundAction = mandatory(oneOf(['Deny', 'Allow']));
const policyNameRule = mandatory(valid(dnsSubdomain));

function* bindingErrors(spec: Spec, work: Work | undefined): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  const { policyName = '', paramRef, matchResources, validationActions = [] } = spec;
  policyNameRule(errors, 'spec.policyName', policyName);
  if (paramRef !== undefined) yield* validateParamRef(errors, 'spec.paramRef', paramRef);
  // Kubernetes writes the path this way.
  yield* resultOf(matchRules(errors, 'spec.matchResouces', matchResources));
  yield* validateActions(errors, 'spec.validationActions', validationActions);
  return errors;
}

function* validateParamRef(
  errors: FieldErrorList,
  path: string,
  reference: admissionregistrationV1.ParamRef,
): Steps<void> {
  const { name = '', selector, parameterNotFoundAction: action } = reference;
  if (name !== '') {
    for (const problem of pathSegment(name, false)) {
      if (errors.spend()) yield;
      errors.push(invalid(`${path}.name`, name, problem));
    }
    if (selector !== undefined) errors.push(forbidden(`${path}.name`, EXCLUSIVE));
  }
  yield* validateLabelSelector(errors, `${path}.selector`, selector);
  if (selector !== undefined && name !== '') errors.push(forbidden(`${path}.selector`, EXCLUSIVE));
  if (name === '' && selector === undefined) errors.push(required(path, 'one of name or selector must be specified'));
  notFoundAction(errors, `${path}.parameterNotFoundAction`, action);
}

function* validateActions(errors: FieldErrorList, path: string, actions: readonly string[]): Steps<void> {
  const seen = new Set<string>();
  for (const [index, action] of actions.entries()) {
    if (errors.spend()) yield;
    if (!ACTIONS.includes(action)) errors.push(notSupported(`${path}[${index}]`, action, ACTIONS));
    if (seen.has(action)) errors.push(duplicate(`${path}[${index}]`, action));
    seen.add(action);
  }
  if (seen.has('Deny') && seen.has('Warn'))
    errors.push(
      invalid(
        path,
        goSlice('admissionregistration.ValidationAction', actions),
        'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ),
    );
  if (seen.size === 0) errors.push(required(path, 'at least one validation action is required'));
}

function paramRefCell({ paramRef }: Spec): string {
  if (paramRef === undefined) return UNSET;
  const { namespace = '', name = '' } = paramRef;
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** Bindings of policies to what they apply to. */
export const validatingAdmissionPolicyBinding: Behaviour<admissionregistrationV1.ValidatingAdmissionPolicyBinding> = {
  strategy: {
    countsGeneration: true,
    allowUnconditionalUpdate: false,
    validate: ({ spec = {} }, { work }) => bindingErrors(spec, work),
  },
  cells: {
    PolicyName: ({ spec = {} }) => spec.policyName ?? '',
    ParamRef: ({ spec = {} }) => paramRefCell(spec),
  },
};

/** {@link validatingAdmissionPolicyBinding} in the versions v1beta1 and v1alpha1. */
export const olderValidatingAdmissionPolicyBinding: Behaviour<admissionregistrationV1.ValidatingAdmissionPolicyBinding> =
  {
    ...validatingAdmissionPolicyBinding,
    conversion: sameFields(),
  };
