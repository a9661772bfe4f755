/**
 * The validation of CustomResourceDefinitions, loaded when the first one is written.
 *
 * Source: `pkg/apis/apiextensions/validation` of Kubernetes 1.31.
 *
 * @module
 */
import {
  FieldErrorList,
  invalid,
  VerbatimValue,
  type DefinitionLimits,
  type Dialect,
  type FieldError,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import { schemaExtensions, type CheckedSchema, type RuleChecks } from '../../../../machinery/index.js';
import { hubDefinition, type HubDefinition } from '../hub.js';
import type { CustomResourceDefinitionFields, CustomResourceDefinitionStatus } from '../types.js';
import { approvalErrors } from './approval.js';
import { namesErrors } from './names.js';
import { allRequirements, requirementsOfUpdate } from './requirements.js';
import { SchemaFacts } from './schema-facts.js';
import { immutableErrors, preserveErrors, specErrors } from './spec.js';
import type { StructuralContext } from './structural.js';
import type { SchemaContext } from './version.js';

export { noRuleChecks } from './check-rules.js';

/** A definition with the metadata that the rules read. */
export type Definition = CustomResourceDefinitionFields & {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
};

/** The parts that the checks of a definition need. */
export interface DefinitionChecks {
  readonly dialect: Dialect;
  /** Checks of CEL rules. */
  readonly ruleChecks: RuleChecks;
  readonly limits: DefinitionLimits;
  /** Receives the compiled rules of each schema. */
  readonly collected?: ((schema: CheckedSchema) => void) | undefined;
  /** Receives what is wrong with parts that are stored already, and so are not refused. */
  readonly warn: (text: string) => void;
  /** Counts the work of the checks, which pause. */
  readonly work: Work;
}

/** Checks a new definition, except for its metadata. */
export function* validateDefinition(definition: Definition, checks: DefinitionChecks): Steps<FieldError[]> {
  const hub = hubDefinition(definition);
  const context: SchemaContext = {
    ...structuralContext(checks),
    requirements: allRequirements,
    ...{ ruleChecks: checks.ruleChecks, collected: checks.collected, warn: checks.warn },
  };
  return [...(yield* specErrors(hub.spec, context)), ...stateErrors(hub, undefined, checks.dialect, context)];
}

/** Checks a change of a definition, except for its metadata. */
export function* validateDefinitionUpdate(
  definition: Definition,
  old: Definition,
  checks: DefinitionChecks,
): Steps<FieldError[]> {
  const structural = structuralContext(checks);
  const hub = hubDefinition(definition);
  const oldHub = hubDefinition(old);
  const requirements = yield* requirementsOfUpdate(hub, oldHub, structural);
  const context: SchemaContext = {
    ...structural,
    requirements,
    ...{ ruleChecks: checks.ruleChecks, collected: checks.collected, warn: checks.warn },
  };
  return [
    ...(yield* specErrors(hub.spec, context)),
    ...immutableErrors(hub.spec, oldHub.spec, requirements.unchangedNames),
    ...stateErrors(hub, oldHub, checks.dialect, context),
  ];
}

function structuralContext({ dialect, limits, work }: DefinitionChecks): StructuralContext {
  const names = schemaExtensions(dialect.openApi.extensionPrefix);
  return { names, facts: new SchemaFacts(names, work, limits), limits, work };
}

function stateErrors(
  hub: HubDefinition,
  old: HubDefinition | undefined,
  dialect: Dialect,
  { names }: SchemaContext,
): FieldError[] {
  return [
    ...validateDefinitionStatus(hub.status),
    ...storedVersionErrors(hub),
    ...approvalErrors(hub, old, dialect),
    ...preserveErrors(hub.spec, old?.spec, names),
  ];
}

/** Checks a status. */
export const validateDefinitionStatus = ({ acceptedNames }: CustomResourceDefinitionStatus): FieldError[] =>
  namesErrors(acceptedNames, 'status.acceptedNames');

/** Checks that the versions in which objects may be stored exist, and that the storage version is one of them. */
function storedVersionErrors({ spec, status }: HubDefinition): FieldError[] {
  const path = 'status.storedVersions';
  const stored = status.storedVersions ?? [];
  if (stored.length === 0)
    return [invalid(path, new VerbatimValue('[]string(nil)'), 'must have at least one stored version')];
  const errors = new FieldErrorList();
  const lastPlaces = new Map(stored.map((name, index) => [name, index]));
  for (const { name, storage } of spec.versions)
    if (storage && !lastPlaces.has(name)) errors.push(invalid(path, stored, `must have the storage version ${name}`));
  for (const { name } of spec.versions) lastPlaces.delete(name);
  for (const [index, name] of stored.entries()) {
    if (lastPlaces.get(name) === index) errors.push(invalid(`${path}[${index}]`, name, 'must appear in spec.versions'));
  }
  return errors;
}
