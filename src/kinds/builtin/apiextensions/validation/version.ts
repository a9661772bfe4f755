/**
 * The rules for the parts of a version, or of all versions together: schema, subresources, columns, selectable fields.
 *
 * @module
 */
import {
  appendErrors,
  DEFAULT_DEFINITION_LIMITS,
  duplicate,
  FieldErrorList,
  forbidden,
  invalid,
  required,
  tooLong,
  tooMany,
  type DefinitionLimits,
  type FieldError,
  type Steps,
} from '../../../../foundation/index.js';
import {
  CollectedRules,
  jsonPathSize,
  resolveFieldPath,
  type CheckedSchema,
  type JsonSchemaProps,
  type RuleChecks,
  type StructuralSchema,
} from '../../../../machinery/index.js';
import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresources,
  CustomResourceValidation,
  SelectableField,
} from '../types.js';
import { ruleErrors } from './check-rules.js';
import { defaultErrors } from './defaults.js';
import { openApiSchemaProblems } from './open-api-schema.js';
import type { Requirements } from './requirements.js';
import { rootFieldErrors } from './root-fields.js';
import { SchemaFacts } from './schema-facts.js';
import { schemaSizeErrors } from './schema-size.js';
import { structuralErrors, type StructuralContext } from './structural.js';

/** The parts that the rules for schemas depend on. */
export interface SchemaContext extends StructuralContext {
  readonly requirements: Requirements;
  readonly ruleChecks: RuleChecks;
  /** Receives the compiled rules of each schema. */
  readonly collected?: ((schema: CheckedSchema) => void) | undefined;
  /** Receives what is wrong with parts that are stored already, and so are not refused. */
  readonly warn: (text: string) => void;
}

/** The uses of a schema. */
export interface SchemaUse {
  readonly hasStatus: boolean;
  readonly isStructural: boolean;
  readonly ignoresRuleCost: boolean;
}

/** Checks the schema of a version, or the common one. */
export function* schemaErrors(
  validation: CustomResourceValidation | undefined,
  path: string,
  given: SchemaContext,
  use: SchemaUse,
): Steps<FieldError[]> {
  const context = use.ignoresRuleCost ? withStoredPatterns(given) : given;
  const schema = validation?.openAPIV3Schema;
  if (schema === undefined) return [];
  const { names, facts, limits, requirements, ruleChecks, work } = context;
  const at = `${path}.openAPIV3Schema`;
  const sizes = yield* schemaSizeErrors(schema, at, limits, work);
  // A schema that is stored already stays valid until it is changed.
  if (use.ignoresRuleCost) for (const error of sizes) context.warn(error.toString());
  else if (sizes.length > 0) return sizes;
  const errors = use.hasStatus ? rootFieldErrors(schema, at, names) : [];
  if (schema.nullable === true) errors.push(forbidden(`${at}.nullable`, 'nullable cannot be true at the root'));
  const unconvertible = use.isStructural ? yield* facts.conversionProblem(schema) : undefined;
  const isChecked = use.isStructural && unconvertible === undefined;
  const structural = isChecked ? yield* structuralProblems(schema, at, context) : [];
  appendErrors(errors, structural);
  const problems = yield* openApiSchemaProblems(schema, at, context, requirements);
  appendErrors(errors, problems.errors);
  if (isChecked && structural.length === 0) {
    const collected = new CollectedRules();
    appendErrors(
      errors,
      yield* ruleErrors(schema, problems.invalid, context, ruleChecks, {
        collected,
        path: at,
        ignoresRuleCost: use.ignoresRuleCost,
        maxTextLength: limits.ruleCharacters,
        warn: context.warn,
        work,
      }),
    );
    context.collected?.({ props: schema, collected });
  }
  // The other rules report most of these schemas with the path of the field.
  if (errors.length === 0 && unconvertible !== undefined) errors.push(invalid(at, '', unconvertible));
  return errors;
}

/** Lets the patterns of a stored schema have as many instructions as the default allows, as its objects do. */
function withStoredPatterns(context: SchemaContext): SchemaContext {
  const { names, work, limits } = context;
  const patternInstructions = Math.max(limits.patternInstructions, DEFAULT_DEFINITION_LIMITS.patternInstructions);
  if (patternInstructions === limits.patternInstructions) return context;
  const raised = { ...limits, patternInstructions };
  return { ...context, limits: raised, facts: new SchemaFacts(names, work, raised) };
}

/** Returns the errors of the structure; those of the defaults only when there are none. */
function* structuralProblems(schema: JsonSchemaProps, path: string, context: SchemaContext): Steps<FieldError[]> {
  const errors = yield* structuralErrors(schema, path, context);
  if (errors.length > 0) return errors;
  const { facts, limits, requirements, ruleChecks, work } = context;
  return yield* defaultErrors(yield* facts.structural(schema), path, {
    prunedDefaults: requirements.prunedDefaults,
    checkRules: ruleChecks.checkDefault,
    limits,
    work,
  });
}

/** Checks the paths of the scale subresource. */
export function subresourceErrors(subresources: CustomResourceSubresources | undefined, path: string): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale;
  return [
    ...replicasPathErrors(specReplicasPath, `${path}.scale.specReplicasPath`, ['.spec.'], 'under .spec'),
    ...replicasPathErrors(statusReplicasPath, `${path}.scale.statusReplicasPath`, ['.status.'], 'under .status'),
    ...(labelSelectorPath === ''
      ? []
      : replicasPathErrors(
          labelSelectorPath,
          `${path}.scale.labelSelectorPath`,
          ['.spec.', '.status.'],
          'under either .spec or .status',
        )),
  ];
}

function replicasPathErrors(value: string, path: string, prefixes: readonly string[], where: string): FieldError[] {
  if (value === '') return [required(path)];
  const errors = jsonPathErrors(value, path);
  if (errors.length > 0 || prefixes.some((prefix) => value.startsWith(prefix))) return errors;
  return [invalid(path, value, `should be a json path ${where}`)];
}

/** As in Kubernetes, only the first character matters. */
const jsonPathErrors = (value: string, path: string): FieldError[] =>
  value.startsWith('.') ? [] : [invalid(path, value, 'must be a simple json path starting with .')];

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/**
 * Checks the columns of the Table form.
 *
 * @param areStored whether they are stored already: what exceeds a bound is a warning then
 */
export function columnErrors(
  columns: readonly CustomResourceColumnDefinition[],
  path: string,
  areStored: boolean,
  { limits, warn }: SchemaContext,
): FieldError[] {
  const beyond = columnBoundErrors(columns, path, limits);
  if (areStored) for (const error of beyond) warn(error.toString());
  else if (columns.length > limits.columns) return beyond;
  return columns.flatMap(({ name, type, format = '', jsonPath }, index) => {
    const at = `${path}[${index}]`;
    const errors = new FieldErrorList();
    const oneOfTypes = `must be one of ${COLUMN_TYPES.join(',')}`;
    if (name === '') errors.push(required(`${at}.name`));
    if (type === '') errors.push(required(`${at}.type`, oneOfTypes));
    else if (!COLUMN_TYPES.includes(type)) errors.push(invalid(`${at}.type`, type, oneOfTypes));
    if (format !== '' && !COLUMN_FORMATS.includes(format))
      errors.push(invalid(`${at}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`));
    // Kubernetes writes these capital letters.
    if (jsonPath === '') errors.push(required(`${at}.JSONPath`));
    else appendErrors(errors, jsonPathErrors(jsonPath, `${at}.JSONPath`));
    if (!areStored) appendErrors(errors, pathBoundErrors(jsonPath, `${at}.JSONPath`, limits));
    return errors;
  });
}

/** Returns the errors of columns that are too many, or whose paths would take too much work. */
function columnBoundErrors(
  columns: readonly CustomResourceColumnDefinition[],
  path: string,
  limits: DefinitionLimits,
): FieldError[] {
  if (columns.length > limits.columns) return [tooMany(path, columns.length, limits.columns)];
  return columns.flatMap(({ jsonPath }, index) => pathBoundErrors(jsonPath, `${path}[${index}].JSONPath`, limits));
}

/** Returns the errors of a path that would take too much work. Kubernetes accepts an invalid path. */
function pathBoundErrors(
  value: string,
  path: string,
  { pathCharacters, pathSegments, pathDescents }: DefinitionLimits,
): FieldError[] {
  if (value.length > pathCharacters) return [tooLong(path, value, pathCharacters)];
  const size = jsonPathSize(value);
  if (size === undefined) return [];
  const { segments, descents } = size;
  const problems: string[] = [];
  if (segments > pathSegments) problems.push(`must not have more than ${pathSegments} segments`);
  if (descents > pathDescents) problems.push(`must not have more than ${descentsText(pathDescents)}`);
  return problems.map((problem) => invalid(path, value, problem));
}

const descentsText = (count: number): string => (count === 1 ? 'one recursive descent' : `${count} recursive descents`);

const MAX_SELECTABLE_FIELDS = 8;
const SELECTABLE_TYPES: ReadonlySet<string> = new Set(['string', 'boolean', 'integer']);

/** Checks the fields that field selectors may use. */
export function selectableFieldErrors(
  fields: readonly SelectableField[],
  schema: StructuralSchema,
  path: string,
): FieldError[] {
  const errors = new FieldErrorList();
  const seen = new Set<string>();
  for (const [index, { jsonPath }] of fields.entries()) {
    const at = `${path}[${index}].jsonPath`;
    const found = jsonPath === '' ? undefined : resolveFieldPath(jsonPath, schema, false);
    if (found === undefined) errors.push(required(at));
    else if (typeof found === 'string') errors.push(invalid(at, jsonPath, `is an invalid path: ${found}`));
    else {
      if (found.root === 'metadata') errors.push(invalid(at, jsonPath, 'must not point to fields in metadata'));
      if (!SELECTABLE_TYPES.has(found.schema.type))
        errors.push(
          invalid(
            at,
            jsonPath,
            'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
          ),
        );
      if (seen.has(found.path)) errors.push(duplicate(at, jsonPath));
      seen.add(found.path);
    }
  }
  if (seen.size > MAX_SELECTABLE_FIELDS) errors.push(tooMany(path, seen.size, MAX_SELECTABLE_FIELDS));
  return errors;
}
