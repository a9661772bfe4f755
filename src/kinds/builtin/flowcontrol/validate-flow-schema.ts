import {
  dnsSubdomain,
  equalJson,
  FieldErrorList,
  forbidden,
  goQuote,
  invalid,
  namespaceName,
  notSupported,
  required,
  serviceAccountName,
  VerbatimValue,
  type FieldError,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { flowcontrolV1 } from '../../types/index.js';
import { nameErrors } from '../shared/validate.js';
import { EXEMPT, mandatoryFlowSchemas } from './mandatory.js';

type Spec = flowcontrolV1.FlowSchemaSpec;

const DISTINGUISHERS = ['ByNamespace', 'ByUser'];
const SUBJECT_KINDS = ['Group', 'ServiceAccount', 'User'];
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const MAX_PRECEDENCE = 10_000;

/** Returns the errors of the spec of a flow schema. */
export function* flowSchemaErrors(name: string, spec: Spec, work: Work | undefined): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  validatePrecedence(errors, 'spec.matchingPrecedence', spec.matchingPrecedence ?? 0, name);
  const type = spec.distinguisherMethod?.type;
  if (type !== undefined && !DISTINGUISHERS.includes(type)) {
    const shown = new VerbatimValue(`flowcontrol.FlowDistinguisherMethod{Type:${goQuote(type)}}`);
    errors.push(notSupported('spec.distinguisherMethod.type', shown, DISTINGUISHERS));
  }
  const level = spec.priorityLevelConfiguration.name;
  const levelPath = 'spec.priorityLevelConfiguration.name';
  if (level === '') errors.push(required(levelPath, 'must reference a priority level'));
  else nameErrors(errors, levelPath, level, dnsSubdomain(level, false));
  for (const [index, rule] of (spec.rules ?? []).entries()) {
    if (errors.spend()) yield;
    yield* validateRule(errors, `spec.rules[${index}]`, rule);
  }
  const fixed = mandatoryFlowSchemas.get(name);
  if (fixed !== undefined && !equalJson(spec, fixed))
    errors.push(invalid('spec', spec, `spec of '${name}' must equal the fixed value`));
  return errors;
}

function validatePrecedence(errors: FieldError[], path: string, precedence: number, name: string): void {
  if (precedence <= 0) errors.push(invalid(path, precedence, 'must be a positive value'));
  if (precedence > MAX_PRECEDENCE) errors.push(invalid(path, precedence, `must not be greater than ${MAX_PRECEDENCE}`));
  if (precedence === 1 && name !== EXEMPT)
    errors.push(invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
}

function* validateRule(errors: FieldErrorList, path: string, rule: flowcontrolV1.PolicyRulesWithSubjects): Steps<void> {
  const { subjects, resourceRules = [], nonResourceRules = [] } = rule;
  if (subjects.length === 0) errors.push(required(`${path}.subjects`, 'subjects must contain at least one value'));
  for (const [index, subject] of subjects.entries()) {
    if (errors.spend()) yield;
    validateSubject(errors, `${path}.subjects[${index}]`, subject);
  }
  if (resourceRules.length === 0 && nonResourceRules.length === 0)
    errors.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  for (const [index, item] of resourceRules.entries()) {
    if (errors.spend()) yield;
    yield* validateResourceRule(errors, `${path}.resourceRules[${index}]`, item);
  }
  for (const [index, item] of nonResourceRules.entries()) {
    if (errors.spend()) yield;
    yield* validatePathRule(errors, `${path}.nonResourceRules[${index}]`, item);
  }
}

/** The members of a subject, in the order in which they are refused, with the kind that each belongs to. */
const MEMBERS = [
  ['serviceAccount', 'ServiceAccount'],
  ['user', 'User'],
  ['group', 'Group'],
] as const;

function validateSubject(errors: FieldError[], path: string, subject: flowcontrolV1.Subject): void {
  const own = MEMBERS.find(([, kind]) => kind === subject.kind);
  if (own === undefined) return void errors.push(notSupported(`${path}.kind`, subject.kind, SUBJECT_KINDS));
  const [member, kind] = own;
  if (subject[member] === undefined)
    errors.push(required(`${path}.${member}`, `${member} is required when subject kind is '${kind}'`));
  else if (subject.kind === 'ServiceAccount') validateAccount(errors, `${path}.${member}`, subject.serviceAccount);
  else if (subject[member].name === '') errors.push(required(`${path}.${member}.name`));
  for (const [other, otherKind] of MEMBERS)
    if (other !== member && subject[other] !== undefined)
      errors.push(forbidden(`${path}.${other}`, `${other} is forbidden when subject kind is not '${otherKind}'`));
}

function validateAccount(
  errors: FieldError[],
  path: string,
  { name, namespace }: flowcontrolV1.ServiceAccountSubject = { name: '', namespace: '' },
): void {
  if (name === '') errors.push(required(`${path}.name`));
  else if (name !== '*') nameErrors(errors, `${path}.name`, name, serviceAccountName(name, false));
  if (namespace === '') errors.push(required(`${path}.namespace`, 'must specify namespace for service account'));
  else nameErrors(errors, `${path}.namespace`, namespace, namespaceName(namespace, false));
}

/** Validates a list in which a wildcard must be alone. Returns true for a list of several values without a wildcard. */
function validateList(
  errors: FieldError[],
  path: string,
  values: readonly string[],
  { none, mixed }: { readonly none: string; readonly mixed: string },
): boolean {
  if (values.length === 0) errors.push(required(path, none));
  else if (values.length > 1 && values.includes('*'))
    errors.push(invalid(path, values, `if '*' is present, must not specify other ${mixed}`));
  return values.length > 0 && !values.includes('*');
}

function validateVerbs(errors: FieldError[], path: string, verbs: readonly string[]): void {
  const named = validateList(errors, path, verbs, { none: 'verbs must contain at least one value', mixed: 'verbs' });
  if (named && !verbs.every((verb) => VERBS.includes(verb))) errors.push(notSupported(path, verbs, VERBS));
}

function* validateResourceRule(
  errors: FieldErrorList,
  path: string,
  rule: flowcontrolV1.ResourcePolicyRule,
): Steps<void> {
  const { verbs, apiGroups, resources, clusterScope = false } = rule;
  const namespaces = rule.namespaces ?? [];
  validateVerbs(errors, `${path}.verbs`, verbs);
  validateList(errors, `${path}.apiGroups`, apiGroups, {
    none: 'resource rules must supply at least one api group',
    mixed: 'api groups',
  });
  validateList(errors, `${path}.resources`, resources, {
    none: 'resource rules must supply at least one resource',
    mixed: 'resources',
  });
  if (namespaces.length === 0 && clusterScope) return;
  const named = validateList(errors, `${path}.namespaces`, namespaces, {
    none: 'resource rules that are not cluster scoped must supply at least one namespace',
    mixed: 'namespaces',
  });
  if (!named) return;
  for (const [index, namespace] of namespaces.entries()) {
    if (errors.spend()) yield;
    for (const problem of namespaceName(namespace, false))
      errors.push(
        invalid(
          `${path}.namespaces[${index}]`,
          namespace,
          `each member of this list must be '*' or a DNS-1123 label; ${problem}`,
        ),
      );
  }
}

function* validatePathRule(
  errors: FieldErrorList,
  path: string,
  rule: flowcontrolV1.NonResourcePolicyRule,
): Steps<void> {
  validateVerbs(errors, `${path}.verbs`, rule.verbs);
  const at = `${path}.nonResourceURLs`;
  const named = validateList(errors, at, rule.nonResourceURLs, {
    none: 'nonResourceURLs must contain at least one value',
    mixed: 'non-resource URLs',
  });
  if (!named) return;
  for (const [index, url] of rule.nonResourceURLs.entries()) {
    if (errors.spend()) yield;
    const problem = urlProblem(url);
    if (problem !== undefined) errors.push(invalid(`${at}[${index}]`, url, problem));
  }
}

function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const wildcards = url.split('*').length - 1;
  return wildcards > 1 || (wildcards === 1 && !url.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}
