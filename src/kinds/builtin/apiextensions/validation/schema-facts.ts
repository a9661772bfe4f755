import type { DefinitionLimits, Steps, Work } from '../../../../foundation/index.js';
import {
  SchemaConversion,
  type JsonSchemaProps,
  type SchemaExtensions,
  type StructuralSchema,
} from '../../../../machinery/index.js';
import { extensionsOf } from '../extensions.js';
import { schemaIn, schemasIn, UNITS_OF_SCHEMA } from '../subschemas.js';
import { patternProblem } from './patterns.js';

const UNSUPPORTED = [
  ['id', 'id'],
  ['$schema', 'schema'],
  ['$ref', '$ref'],
  ['patternProperties', 'patternProperties'],
  ['dependencies', 'dependencies'],
  ['additionalItems', 'additionalItems'],
  ['definitions', 'definitions'],
] as const;

/** Work of compiling a pattern: enough for a look at the clock after each. */
const UNITS_OF_PATTERN = 2000;

/**
 * The facts that the checks of a definition ask about its schemas and patterns. Each answer is found once: many rules ask about
 * the same schema, and many schemas have the same pattern.
 */
export class SchemaFacts {
  readonly #names: SchemaExtensions;
  readonly #work: Work;
  readonly #limits: DefinitionLimits;
  readonly #conversion: SchemaConversion;
  readonly #problems = new Map<JsonSchemaProps, string | undefined>();
  readonly #patterns = new Map<string, string | undefined>();

  constructor(names: SchemaExtensions, work: Work, limits: DefinitionLimits) {
    this.#limits = limits;
    this.#names = names;
    this.#work = work;
    this.#conversion = new SchemaConversion(names, work);
  }

  /** Returns the structural form of a schema. */
  structural(schema: JsonSchemaProps): Steps<StructuralSchema> {
    return this.#conversion.convert(schema);
  }

  /**
   * Returns why a schema cannot be converted to a structural one; undefined when it can. Other rules refuse the same
   * schemas with the path of the field, except for `$schema`.
   */
  *conversionProblem(schema: JsonSchemaProps): Steps<string | undefined> {
    if (this.#problems.has(schema)) return this.#problems.get(schema);
    if (this.#work.spend(UNITS_OF_SCHEMA)) yield;
    const problem = this.#ownProblem(schema) ?? (yield* this.#problemWithin(schema));
    this.#problems.set(schema, problem);
    return problem;
  }

  #ownProblem(schema: JsonSchemaProps): string | undefined {
    for (const [name, shown] of UNSUPPORTED)
      if (schema[name] !== undefined && schema[name] !== '') return `OpenAPIV3Schema '${shown}' is not supported`;
    if (extensionsOf(schema, this.#names).preserveUnknownFields === false)
      return `internal error: '${this.#names.preserveUnknownFields}' must be true or undefined`;
    return schemasIn(schema.items).length > 0 ? "OpenAPIV3Schema 'items' must be a schema, but is an array" : undefined;
  }

  *#problemWithin(schema: JsonSchemaProps): Steps<string | undefined> {
    const parts = [
      schema.not,
      ...(schema.allOf ?? []),
      ...(schema.anyOf ?? []),
      ...(schema.oneOf ?? []),
      schemaIn(schema.additionalProperties),
      schemaIn(schema.items),
      ...Object.values(schema.properties ?? {}),
    ];
    for (const part of parts) {
      const problem = part === undefined ? undefined : yield* this.conversionProblem(part);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  /** Returns Go's message for a pattern that is invalid or too large; undefined for another. */
  *patternProblem(pattern: string): Steps<string | undefined> {
    if (this.#patterns.has(pattern)) return this.#patterns.get(pattern);
    const problem = patternProblem(pattern, this.#limits);
    this.#patterns.set(pattern, problem);
    // A short text may have a large program, so the clock is looked at after each pattern.
    if (this.#work.spend(UNITS_OF_PATTERN)) yield;
    return problem;
  }
}
