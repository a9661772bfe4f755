/**
 * The part of a schema that leads to validation rules. A validation visits only the values of this part.
 *
 * @module
 */
import type { Steps, Work } from '../../foundation/index.js';
import type { StructuralSchema, ValueSchema } from '../schema/define/structural.js';
import type { RulesByPath } from './checked-rules.js';
import type { CompiledRule, RuleCompiler } from './compile.js';
import { declaredType, type DeclaredType } from './declared-type.js';
import { escapedFieldName } from './field-names.js';
import { ValueReaders, type ValueReader } from './values.js';

/** A schema with rules, or with rules below it. */
export interface RuleNode {
  readonly schema: StructuralSchema;
  /** Returns the rules of the schema itself; undefined before they have been compiled. */
  readonly rules: () => readonly CompiledRule[] | undefined;
  /** Compiles the rules of the schema itself. */
  readonly compileRules: (work: Work) => Steps<readonly CompiledRule[]>;
  /** Reads values for the expressions of the rules. */
  readonly read: ValueReader;
  readonly properties: readonly (readonly [name: string, node: RuleNode])[];
  readonly additionalProperties?: RuleNode | undefined;
  readonly items?: RuleNode | undefined;
  readonly allOf: readonly RuleNode[];
}

/**
 * Returns the plan of a schema; undefined when it has no rules.
 *
 * @param isResource as for {@link declaredType}
 * @param compiled the rules that are compiled already
 */
export function planRules(
  root: StructuralSchema,
  compiler: RuleCompiler,
  isResource: boolean,
  compiled?: RulesByPath,
): RuleNode | undefined {
  if (!hasRules(root, new Set())) return undefined;
  return new Planner(compiler, compiled).plan(root, root, declaredType(root, 'selfType', isResource), isResource, '');
}

/** Returns true for a schema with rules anywhere. */
function hasRules(schema: ValueSchema, seen: Set<ValueSchema>): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  if (schema.validations !== undefined && schema.validations.length > 0) return true;
  const { properties, additionalProperties, items, allOf } = schema;
  return [...(properties?.values() ?? []), additionalProperties, items, ...(allOf ?? [])].some(
    (child) => child !== undefined && hasRules(child, seen),
  );
}

/** A node whose children are still being planned. */
type PlannedNode = { -readonly [Member in keyof RuleNode]: RuleNode[Member] };

class Planner {
  readonly #compiler: RuleCompiler;
  readonly #readers = new ValueReaders();
  /** Nodes by schema. A recursive type leads back to its node. */
  readonly #nodes = new Map<ValueSchema, RuleNode | undefined>();

  readonly #compiled: RulesByPath | undefined;

  constructor(compiler: RuleCompiler, compiled: RulesByPath | undefined) {
    this.#compiler = compiler;
    this.#compiled = compiled;
  }

  /**
   * @param conditions the schema with the rules: the schema of the values, or a condition inside its `allOf`
   * @param declared the type of the values; undefined when expressions cannot see them
   * @param path the path of the schema; undefined for a condition
   */
  plan(
    conditions: ValueSchema,
    schema: StructuralSchema,
    declared: DeclaredType | undefined,
    isResource: boolean,
    path: string | undefined,
  ): RuleNode | undefined {
    if (this.#nodes.has(conditions)) return this.#nodes.get(conditions);
    const { validations = [] } = conditions;
    const node: PlannedNode = {
      schema,
      ...this.#rulesOf(conditions, schema, declared, path),
      read: this.#readers.of(schema, isResource),
      properties: [],
      allOf: [],
    };
    this.#nodes.set(conditions, node);
    const within = (part: string): string | undefined => (path === undefined ? undefined : `${path}.${part}`);
    node.properties = this.#planProperties(conditions, schema, declared, within);
    node.additionalProperties = this.#planChild(
      conditions.additionalProperties,
      schema.additionalProperties,
      declared,
      within('additionalProperties'),
    );
    node.items = this.#planChild(conditions.items, schema.items, declared, within('items'));
    node.allOf = (conditions.allOf ?? []).flatMap(
      (condition) => this.plan(condition, schema, declared, isResource, undefined) ?? [],
    );
    const { properties, additionalProperties, items, allOf } = node;
    if (validations.length > 0 || properties.length > 0 || additionalProperties !== undefined) return node;
    if (items !== undefined || allOf.length > 0) return node;
    this.#nodes.set(conditions, undefined);
    return undefined;
  }

  #rulesOf(
    { validations = [] }: ValueSchema,
    schema: StructuralSchema,
    declared: DeclaredType | undefined,
    path: string | undefined,
  ): Pick<RuleNode, 'rules' | 'compileRules'> {
    const compiler = this.#compiler;
    const known = path === undefined ? undefined : this.#compiled?.get(path);
    let rules: readonly CompiledRule[] | undefined = validations.length === 0 || declared === undefined ? [] : known;
    return {
      rules: () => rules,
      *compileRules(work) {
        return (rules ??=
          declared === undefined ? [] : yield* compiler.compileInSlices(validations, schema, declared, work));
      },
    };
  }

  #planProperties(
    conditions: ValueSchema,
    schema: StructuralSchema,
    declared: DeclaredType | undefined,
    within: (part: string) => string | undefined,
  ): RuleNode['properties'] {
    return [...(conditions.properties ?? [])].flatMap(([name, condition]) => {
      const property = schema.properties?.get(name);
      if (property === undefined || declared === undefined) return [];
      const isResource = property.embeddedResource === true;
      const field = escapedFieldName(name);
      const type =
        (field === undefined ? undefined : declared.fields?.get(field)) ??
        declaredType(property, 'selfType', isResource);
      // Values that expressions cannot see are not checked.
      const node = type && this.plan(condition, property, type, isResource, within(`properties[${name}]`));
      return node === undefined ? [] : [[name, node] as const];
    });
  }

  #planChild(
    condition: ValueSchema | undefined,
    schema: StructuralSchema | undefined,
    declared: DeclaredType | undefined,
    path: string | undefined,
  ): RuleNode | undefined {
    if (condition === undefined || schema === undefined) return undefined;
    return this.plan(condition, schema, declared?.element, schema.embeddedResource === true, path);
  }
}
