import {
  dnsSubdomain,
  invalid,
  patternText,
  required,
  resultOf,
  type FieldErrorList,
  type Steps,
} from '../../../../../foundation/index.js';
import type { coreV1 } from '../../../../types/index.js';
import { fields, mandatory, valid } from '../../../shared/field-rules.js';
import { nameErrors } from '../../../shared/validate.js';
import { allContainers } from '../containers.js';
import type { Container, PodSpec } from '../types.js';
import { ENVIRONMENT_FIELDS, keyRefRules, validateFieldRef, validateResourceFieldRef } from './validate-references.js';

const NAME = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const NAME_TEXT = patternText(
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  '[-._a-zA-Z][-._a-zA-Z0-9]*',
  'my.env-name',
  'MY_ENV.NAME',
  'MyEnvName1',
);
const SEVERAL = 'may not have more than one field specified at a time';

/** Returns the problems of the name of an environment variable; empty when it is valid. */
export function environmentName(name: string): readonly string[] {
  const problems = NAME.test(name) ? [] : [NAME_TEXT];
  if (name === '.') problems.push("must not be '.'");
  else if (name === '..') problems.push("must not be '..'");
  else if (name.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}

const RELAXED_TEXT = "a valid environment variable name must consist only of printable ASCII characters other than '='";

/** Returns the problems of a name under the relaxed rule. */
const relaxedName = (name: string): readonly string[] => (/^[ -<>-~]*$/.test(name) ? [] : [RELAXED_TEXT]);

const namesOf = ({ env = [], envFrom = [] }: Pick<Container, 'env' | 'envFrom'>): string[] => [
  ...env.map(({ name }) => name),
  ...envFrom.map(({ prefix = '' }) => prefix).filter((prefix) => prefix !== ''),
];

/** Returns whether a pod has names that only the relaxed rule allows. */
export const hasRelaxedNames = (spec: PodSpec): boolean =>
  allContainers(spec).some((container) =>
    namesOf(container).some((name) => environmentName(name).length > 0 && relaxedName(name).length === 0),
  );

type Variable = NonNullable<Container['env']>[number];

const keyRules = fields<coreV1.EnvVarSource>({ configMapKeyRef: keyRefRules, secretKeyRef: keyRefRules });

function* validateSource(
  errors: FieldErrorList,
  path: string,
  value: string | undefined,
  source: NonNullable<Variable['valueFrom']>,
): Steps<void> {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = source;
  if (fieldRef !== undefined) validateFieldRef(errors, `${path}.fieldRef`, fieldRef, ENVIRONMENT_FIELDS);
  if (resourceFieldRef !== undefined)
    validateResourceFieldRef(errors, `${path}.resourceFieldRef`, resourceFieldRef, false);
  yield* resultOf(keyRules(errors, path, source));
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef].filter(
    (reference) => reference !== undefined,
  ).length;
  if (sources === 0)
    errors.push(
      invalid(path, '', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'),
    );
  else if (value) errors.push(invalid(path, '', 'may not be specified when `value` is not empty'));
  else if (sources > 1) errors.push(invalid(path, '', SEVERAL));
}

/** Validates the environment variables of a container. */
export function* validateEnvironment(
  errors: FieldErrorList,
  path: string,
  variables: Container['env'] = [],
  isRelaxed = false,
): Steps<void> {
  const nameRule = isRelaxed ? relaxedName : environmentName;
  for (const [index, { name, value, valueFrom }] of variables.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    if (!name) errors.push(required(`${at}.name`));
    else nameErrors(errors, `${at}.name`, name, nameRule(name));
    if (valueFrom !== undefined) yield* validateSource(errors, `${at}.valueFrom`, value, valueFrom);
  }
}

const wholeName = mandatory(valid((name: string) => dnsSubdomain(name, true)));

/** Validates the config maps and secrets that set the environment of a container. */
export function* validateEnvironmentSources(
  errors: FieldErrorList,
  path: string,
  sources: Container['envFrom'] = [],
  isRelaxed = false,
): Steps<void> {
  const nameRule = isRelaxed ? relaxedName : environmentName;
  for (const [index, { prefix, configMapRef, secretRef }] of sources.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    if (prefix) nameErrors(errors, `${at}.prefix`, prefix, nameRule(prefix));
    if (configMapRef !== undefined) wholeName(errors, `${at}.configMapRef.name`, configMapRef.name);
    if (secretRef !== undefined) wholeName(errors, `${at}.secretRef.name`, secretRef.name);
    // Kubernetes reports the path of the list here, not of the entry.
    if (configMapRef === undefined && secretRef === undefined)
      errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    else if (configMapRef !== undefined && secretRef !== undefined) errors.push(invalid(path, '', SEVERAL));
  }
}
