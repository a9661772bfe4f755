/**
 * The rules that were compiled for the check of a definition, until its kind needs them: each rule is compiled once.
 *
 * @module
 */
import {
  COMPILED_BYTES,
  equalJson,
  expressionBytes,
  type CompiledArtefact,
  type CompiledArtefacts,
  type JsonValue,
} from '../../foundation/index.js';
import type { JsonSchemaProps } from '../schema/openapi/json-schema.js';
import type { CompiledRule } from './compile.js';

/** The compiled rules of a schema, by the path of the schema that has them: `.properties[spec].items`. */
export type RulesByPath = ReadonlyMap<string, readonly CompiledRule[]>;

/** Collects the compiled rules of one schema. */
export class CollectedRules {
  readonly rules = new Map<string, readonly CompiledRule[]>();
  /** Number of schemas in the schema. */
  schemas = 0;

  /** Estimated memory, in bytes. */
  get bytes(): number {
    let bytes = this.schemas * COMPILED_BYTES.schemaNode;
    for (const { rule } of [...this.rules.values()].flat())
      bytes += expressionBytes(rule.rule) + expressionBytes(rule.messageExpression ?? '');
    return bytes;
  }
}

/** The rules of a checked schema. */
export interface CheckedSchema {
  /** The schema as its author wrote it. */
  readonly props: JsonSchemaProps;
  readonly collected: CollectedRules;
}

/** Number of definitions from which those whose rules were given up are forgotten. */
const MAX_NAMES = 1000;

/** The rules of checked definitions of one server. */
export class CheckedRules {
  readonly #artefacts: CompiledArtefacts;
  readonly #byDefinition = new Map<string, CompiledArtefact<readonly CheckedSchema[]>>();

  constructor(artefacts: CompiledArtefacts) {
    this.#artefacts = artefacts;
  }

  /** Keeps the rules of a definition, instead of those of an earlier check of it. They may be given up at any time. */
  keep(definition: string, schemas: readonly CheckedSchema[]): void {
    this.forget(definition);
    const ruled = schemas.filter(({ collected }) => collected.rules.size > 0);
    if (ruled.length === 0) return;
    if (this.#byDefinition.size >= MAX_NAMES) this.#forgetGivenUp();
    const artefact = this.#artefacts.artefact<readonly CheckedSchema[]>();
    this.#byDefinition.set(definition, artefact);
    artefact.keep(ruled, bytesOf(ruled));
  }

  /** Gives up the rules of a definition. */
  forget(definition: string): void {
    this.#byDefinition.get(definition)?.drop();
    this.#byDefinition.delete(definition);
  }

  /** Takes the rules of a schema of a definition; undefined when they are not there. */
  take(definition: string, props: JsonSchemaProps): RulesByPath | undefined {
    const artefact = this.#byDefinition.get(definition);
    const schemas = artefact?.value;
    const found = schemas?.find((checked) => equalJson(checked.props as JsonValue, props as JsonValue));
    if (artefact === undefined || schemas === undefined || found === undefined) return undefined;
    const others = schemas.filter((checked) => checked !== found);
    if (others.length > 0) artefact.keep(others, bytesOf(others));
    else {
      artefact.drop();
      this.#byDefinition.delete(definition);
    }
    return found.collected.rules;
  }

  #forgetGivenUp(): void {
    for (const [definition, artefact] of this.#byDefinition)
      if (artefact.bytes === 0) this.#byDefinition.delete(definition);
  }
}

const bytesOf = (schemas: readonly CheckedSchema[]): number =>
  schemas.reduce((sum, { collected }) => sum + collected.bytes, 0);
