/**
 * The validation of CustomResourceDefinitions, loaded when the first one is written.
 *
 * Source: `pkg/apis/apiextensions/validation` of Kubernetes 1.31.
 *
 * @module
 */
import { invalid, VerbatimValue, type FieldError } from '../../../meta/field-error.js';
import type { Dialect } from '../../../names/dialect.js';
import { loadRules, ruleChecks, type RuleChecks } from '../../../rules/index.js';
import { schemaExtensions } from '../../../schema/json-schema.js';
import { hubDefinition, type HubDefinition } from '../hub.js';
import type { CustomResourceDefinitionFields, CustomResourceDefinitionStatus } from '../types.js';
import { approvalErrors } from './approval.js';
import { namesErrors } from './names.js';
import { allRequirements, requirementsOfUpdate, type Requirements } from './requirements.js';
import { immutableErrors, preserveErrors, specErrors } from './spec.js';
import type { SchemaContext } from './version.js';

/** A definition with the metadata that the rules read. */
export type Definition = CustomResourceDefinitionFields & {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
};

/** Checks definitions. */
export class DefinitionValidator {
  readonly #ruleChecks: RuleChecks;

  constructor(checks: RuleChecks) {
    this.#ruleChecks = checks;
  }

  /** Returns the errors of a new definition, except for its metadata. */
  errorsOf(definition: Definition, dialect: Dialect): FieldError[] {
    const hub = hubDefinition(definition);
    const context = this.#context(allRequirements, dialect);
    return [...specErrors(hub.spec, context), ...stateErrors(hub, undefined, dialect, context)];
  }

  /** Returns the errors of a change of a definition, except for its metadata. */
  errorsOfUpdate(definition: Definition, old: Definition, dialect: Dialect): FieldError[] {
    const hub = hubDefinition(definition);
    const oldHub = hubDefinition(old);
    const requirements = requirementsOfUpdate(hub, oldHub, schemaExtensions(dialect.openApi.extensionPrefix));
    const context = this.#context(requirements, dialect);
    return [
      ...specErrors(hub.spec, context),
      ...immutableErrors(hub.spec, oldHub.spec, requirements.unchangedNames),
      ...stateErrors(hub, oldHub, dialect, context),
    ];
  }

  /** Returns the errors of a status. */
  errorsOfStatus({ acceptedNames }: CustomResourceDefinitionStatus): FieldError[] {
    return namesErrors(acceptedNames, 'status.acceptedNames');
  }

  #context(requirements: Requirements, dialect: Dialect): SchemaContext {
    return {
      names: schemaExtensions(dialect.openApi.extensionPrefix),
      requirements,
      ruleChecks: this.#ruleChecks,
    };
  }
}

/** Loads what the validation of definitions needs. */
export async function loadDefinitionValidator(): Promise<DefinitionValidator> {
  return new DefinitionValidator(ruleChecks(await loadRules()));
}

function stateErrors(
  hub: HubDefinition,
  old: HubDefinition | undefined,
  dialect: Dialect,
  { names }: SchemaContext,
): FieldError[] {
  return [
    ...namesErrors(hub.status.acceptedNames, 'status.acceptedNames'),
    ...storedVersionErrors(hub),
    ...approvalErrors(hub, old, dialect),
    ...preserveErrors(hub.spec, old?.spec, names),
  ];
}

/** Checks that the versions in which objects may be stored exist, and that the storage version is one of them. */
function storedVersionErrors({ spec, status }: HubDefinition): FieldError[] {
  const path = 'status.storedVersions';
  const stored = status.storedVersions ?? [];
  if (stored.length === 0)
    return [invalid(path, new VerbatimValue('[]string(nil)'), 'must have at least one stored version')];
  const errors = spec.versions
    .filter(({ name, storage }) => storage && !stored.includes(name))
    .map(({ name }) => invalid(path, stored, `must have the storage version ${name}`));
  for (const [index, name] of stored.entries()) {
    if (spec.versions.some((version) => version.name === name) || stored.lastIndexOf(name) !== index) continue;
    errors.push(
      invalid(
        `${path}[${index}]`,
        name,
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
      ),
    );
  }
  return errors;
}
