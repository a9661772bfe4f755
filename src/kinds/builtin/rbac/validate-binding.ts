import {
  FieldErrorList,
  goQuote,
  invalid,
  notSupported,
  pathSegment,
  required,
  serviceAccountName,
  VerbatimValue,
  type Dialect,
  type FieldError,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { rbacV1 } from '../../types/index.js';
import { nameErrors } from '../shared/validate.js';
import { rbacGroupName } from './group.js';

type BindingFields = Pick<rbacV1.RoleBinding, 'roleRef' | 'subjects'>;

/** The role kinds that a binding kind may refer to, and whether its namespace is the default of its subjects. */
export interface BindingRules {
  readonly roleKinds: readonly string[];
  readonly namespaced: boolean;
}

type SubjectRule = (
  errors: FieldError[],
  path: string,
  subject: rbacV1.Subject,
  namespaced: boolean,
  group: string,
) => void;

const requireGroup: SubjectRule = (errors, path, { apiGroup = '' }, _namespaced, group) => {
  if (apiGroup !== group) errors.push(notSupported(`${path}.apiGroup`, apiGroup, [group]));
};

/** The rules of the subject kinds, in the order of error messages. */
const SUBJECT_RULES: ReadonlyMap<string, SubjectRule> = new Map<string, SubjectRule>([
  [
    'ServiceAccount',
    (errors, path, { name, apiGroup = '', namespace = '' }, namespaced) => {
      if (name !== '') nameErrors(errors, `${path}.name`, name, serviceAccountName(name, false));
      if (apiGroup !== '') errors.push(notSupported(`${path}.apiGroup`, apiGroup, ['']));
      if (!namespaced && namespace === '') errors.push(required(`${path}.namespace`));
    },
  ],
  ['User', requireGroup],
  ['Group', requireGroup],
]);

/** Validates a binding. */
export function* validateBinding(
  { roleRef, subjects }: BindingFields,
  { roleKinds, namespaced }: BindingRules,
  dialect: Dialect,
  work: Work | undefined,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  const group = rbacGroupName(dialect);
  if (roleRef.apiGroup !== group) errors.push(notSupported('roleRef.apiGroup', roleRef.apiGroup, [group]));
  if (!roleKinds.includes(roleRef.kind)) errors.push(notSupported('roleRef.kind', roleRef.kind, roleKinds));
  if (roleRef.name === '') errors.push(required('roleRef.name'));
  else nameErrors(errors, 'roleRef.name', roleRef.name, pathSegment(roleRef.name, false));
  for (const [index, subject] of (subjects ?? []).entries()) {
    if (errors.spend()) yield;
    const path = `subjects[${index}]`;
    if (subject.name === '') errors.push(required(`${path}.name`));
    const rule = SUBJECT_RULES.get(subject.kind);
    if (rule === undefined) errors.push(notSupported(`${path}.kind`, subject.kind, [...SUBJECT_RULES.keys()]));
    else rule(errors, path, subject, namespaced, group);
  }
  return errors;
}

/**
 * Validates an update of a binding. The role is immutable, so a user who may change the subjects cannot grant another
 * role.
 */
export function validateBindingUpdate({ roleRef }: BindingFields, old: BindingFields): FieldError[] {
  const { apiGroup, kind, name } = roleRef;
  if (apiGroup === old.roleRef.apiGroup && kind === old.roleRef.kind && name === old.roleRef.name) return [];
  // Kubernetes prints its Go struct here.
  const shown = `rbac.RoleRef{APIGroup:${goQuote(apiGroup)}, Kind:${goQuote(kind)}, Name:${goQuote(name)}}`;
  return [invalid('roleRef', new VerbatimValue(shown), 'cannot change roleRef')];
}
