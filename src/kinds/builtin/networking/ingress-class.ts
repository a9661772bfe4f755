import {
  dnsSubdomain,
  dnsSubdomainErrors,
  equalJson,
  FieldErrorList,
  forbidden,
  invalid,
  namespaceName,
  patternText,
  required,
  resultOf,
  type FieldError,
  type Steps,
} from '../../../foundation/index.js';
import type { networkingV1 } from '../../types/index.js';
import type { Behaviour } from '../behaviour.js';
import { NONE } from '../shared/columns.js';
import { allOf, fields, mandatory, maxBytes, oneOf } from '../shared/field-rules.js';
import { incrementGeneration } from '../shared/spec.js';
import { immutableField, nameErrors } from '../shared/validate.js';
import { localReferenceRules } from './ingress.js';

const MAX_CONTROLLER_BYTES = 250;
const scopeRule = oneOf(['Cluster', 'Namespace']);
const HTTP_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** @see release 1.31, `ValidateIngressClass` of networking */
const specRules = fields<networkingV1.IngressClassSpec>({
  controller: mandatory(allOf(maxBytes(MAX_CONTROLLER_BYTES), domainPathErrors)),
  parameters: parametersErrors,
});

/** Adds the errors of a path below a domain: `acme.io/foo`. */
function domainPathErrors(errors: FieldError[], path: string, text = ''): void {
  const slash = text.indexOf('/');
  const [host, rest] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  if (slash < 0 || host === '' || rest === '')
    return void errors.push(invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  nameErrors(errors, path, host, dnsSubdomainErrors(host));
  if (!new RegExp(`^${HTTP_PATH}$`).test(rest))
    errors.push(invalid(path, rest, patternText('Invalid path', HTTP_PATH)));
}

function* parametersErrors(
  errors: FieldErrorList,
  path: string,
  parameters: networkingV1.IngressClassParametersReference | undefined,
): Steps<void> {
  if (parameters === undefined) return;
  const { scope, namespace } = parameters;
  yield* resultOf(localReferenceRules(errors, path, parameters));
  if (scope === undefined || scope === null) return void errors.push(required(`${path}.scope`));
  scopeRule(errors, `${path}.scope`, scope);
  const at = `${path}.namespace`;
  if (scope === 'Namespace') {
    if (namespace === undefined) errors.push(required(at, "`parameters.scope` is set to 'Namespace'"));
    else nameErrors(errors, at, namespace, namespaceName(namespace, false));
  }
  if (scope === 'Cluster' && namespace !== undefined)
    errors.push(forbidden(at, "`parameters.scope` is set to 'Cluster'"));
}

function parametersCell(parameters: networkingV1.IngressClassParametersReference | undefined): string {
  if (parameters === undefined) return NONE;
  const { apiGroup, kind, name } = parameters;
  return `${kind}${apiGroup === undefined ? '' : `.${apiGroup}`}/${name}`;
}

/** The behaviour of ingress classes. */
export const ingressClassBehaviour: Behaviour<networkingV1.IngressClass> = {
  strategy: {
    nameRule: dnsSubdomain,
    defaults({ spec }) {
      if (spec?.parameters !== undefined) spec.parameters.scope ??= 'Cluster';
    },
    prepareForCreate(ingressClass) {
      ingressClass.metadata.generation = 1;
    },
    prepareForUpdate(ingressClass, old) {
      if (!equalJson(ingressClass.spec, old.spec)) incrementGeneration(ingressClass, old);
    },
    *validate({ spec = {} }, _context, old) {
      const errors = new FieldErrorList();
      if (old !== undefined) immutableField(errors, 'spec.controller', spec.controller, old.spec?.controller);
      yield* resultOf(specRules(errors, 'spec', spec));
      return errors;
    },
  },
  cells: {
    Controller: ({ spec }) => spec?.controller ?? '',
    Parameters: ({ spec }) => parametersCell(spec?.parameters),
  },
};
