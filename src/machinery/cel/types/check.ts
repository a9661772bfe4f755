/**
 * The type checker: assigns a type to every part of an expression, and the possible overloads to every call. Reports
 * issues with the messages of Kubernetes. Source: cel-spec, "Gradual Type Checking".
 *
 * @module
 */
import type { Steps, Work } from '../../../foundation/index.js';
import { CelCompileError } from '../evaluate/failures.js';
import { CelTypeValue, CelUint, type CelValue } from '../evaluate/values.js';
import {
  OPTIONAL_SELECT,
  qualifiedName,
  type CallExpression,
  type ComprehensionExpression,
  type Expression,
  type MapEntry,
  type SelectExpression,
} from '../syntax/ast.js';
import type { Issue } from '../syntax/source.js';
import { assign, mostGeneral, sameType, Substitution } from './assignable.js';
import type { FunctionDeclaration, Overload } from './declarations.js';
import { typeNames } from './type-names.js';
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  errorType,
  formatArguments,
  formatType,
  innerType,
  intType,
  isDynamic,
  listType,
  mapType,
  nullType,
  optionalType,
  partsOf,
  stringType,
  typeParameter,
  typeType,
  uintType,
  type CelOpaqueType,
  type CelType,
} from './types.js';

/** The variables and functions that expressions may use. */
export interface CheckerScope {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  /** Types of the libraries, by name. */
  readonly types: ReadonlyMap<string, CelOpaqueType>;
}

/** The function that a call resolves to. */
export interface Resolution {
  readonly name: string;
  /** Possible overloads. The evaluation selects one of them. */
  readonly candidates: readonly Overload[];
  /** False for `a.b.f(x)` when `a.b.f` is a function: then the call has no target. */
  readonly isMethod: boolean;
}

/** The result of a check. */
export interface Checked {
  readonly type: CelType;
  readonly issues: readonly Issue[];
  readonly resolutions: ReadonlyMap<CallExpression, Resolution>;
  /** Names of types: `int`, `google.protobuf.Timestamp`. */
  readonly constants: ReadonlyMap<Expression, CelTypeValue>;
  /** Selections that are variables with dots in their names. */
  readonly variables: ReadonlyMap<Expression, string>;
  /**
   * Types of the items of list literals, and of the keys and values of map literals; for optional members, the inner
   * type.
   */
  readonly memberTypes: ReadonlyMap<Expression, CelType>;
  /** Returns the type of a part of the expression. */
  typeOf(part: Expression): CelType;
}

/** Checks an expression. It pauses between the parts of the expression. */
export function checkExpression(expression: Expression, scope: CheckerScope, work: Work): Steps<Checked> {
  return new Checker(scope, work).run(expression);
}

/** Work of checking a part of an expression, without its parts. */
const UNITS_OF_PART = 40;
/** Work of finding the final type of a member of a literal. */
const UNITS_OF_MEMBER = 4;

/** Most parts of an expression. Macros repeat parts, which those around them repeat again. */
const MAX_PARTS = 200_000;
/** Most parts of the type of a map, of which each level may repeat those below. */
const MAX_TYPE_SIZE = 1000;

const scalarTypes: Readonly<Record<string, CelType>> = {
  bigint: intType,
  number: doubleType,
  string: stringType,
  boolean: boolType,
};

function literalType(value: CelValue): CelType {
  if (value === null) return nullType;
  if (value instanceof Uint8Array) return bytesType;
  return value instanceof CelUint ? uintType : (scalarTypes[typeof value] ?? dynType);
}

class Checker {
  readonly #scope: CheckerScope;
  readonly #work: Work;
  #parts = 0;
  readonly #issues: Issue[] = [];
  readonly #resolutions = new Map<CallExpression, Resolution>();
  readonly #constants = new Map<Expression, CelTypeValue>();
  readonly #variables = new Map<Expression, string>();
  readonly #memberTypes = new Map<Expression, CelType>();
  readonly #types = new Map<Expression, CelType>();
  readonly #locals: { readonly name: string; readonly type: CelType }[] = [];
  readonly #bound = new Substitution();
  #fresh = 0;

  constructor(scope: CheckerScope, work: Work) {
    this.#scope = scope;
    this.#work = work;
  }

  *run(expression: Expression): Steps<Checked> {
    const type = yield* this.#check(expression);
    const memberTypes = new Map<Expression, CelType>();
    for (const [member, memberType] of this.#memberTypes) {
      if (this.#work.spend(UNITS_OF_MEMBER)) yield;
      memberTypes.set(member, this.#bound.apply(memberType, true));
    }
    const types = new Map<Expression, CelType>();
    return {
      type: this.#bound.apply(type, true),
      issues: this.#issues,
      resolutions: this.#resolutions,
      constants: this.#constants,
      variables: this.#variables,
      memberTypes,
      typeOf: (part) => {
        let partType = types.get(part);
        if (partType === undefined)
          types.set(part, (partType = this.#bound.apply(this.#types.get(part) ?? dynType, true)));
        return partType;
      },
    };
  }

  *#check(expression: Expression): Steps<CelType> {
    this.#parts += 1;
    if (this.#parts > MAX_PARTS) throw new CelCompileError(`expression expands to more than ${MAX_PARTS} parts`);
    if (this.#work.spend(UNITS_OF_PART)) yield;
    const type = yield* this.#typeOf(expression);
    this.#types.set(expression, type);
    return type;
  }

  *#typeOf(expression: Expression): Steps<CelType> {
    switch (expression.kind) {
      case 'literal':
        return literalType(expression.value);
      case 'identifier':
        return (
          this.#lookUp(expression, expression.name) ??
          this.#report(expression.offset, `undeclared reference to '${expression.name}' (in container '')`)
        );
      case 'select':
        return yield* this.#checkSelect(expression);
      case 'call':
        return yield* this.#checkCall(expression);
      case 'list':
        return listType(
          yield* this.#joined(
            expression.elements.map((value, index) => ({ value, isOptional: expression.optional.has(index) })),
          ),
        );
      case 'map':
        return yield* this.#checkMap(expression.entries);
      case 'comprehension':
        return yield* this.#checkComprehension(expression);
    }
  }

  /** Returns the type of an expression, with its parameters replaced as far as they are bound. */
  *#checkBound(expression: Expression): Steps<CelType> {
    const type = yield* this.#check(expression);
    return this.#bound.apply(type, false);
  }

  #report(offset: number, message: string): CelType {
    this.#issues.push({ offset, message });
    return errorType;
  }

  #freshParameter(): CelType {
    return typeParameter(`_var${this.#fresh++}`);
  }

  #lookUp(expression: Expression, name: string): CelType | undefined {
    const local = this.#locals.findLast((candidate) => candidate.name === name);
    if (local !== undefined) return local.type;
    const variable = this.#scope.variables.get(name);
    if (variable !== undefined) {
      if (expression.kind === 'select') this.#variables.set(expression, name);
      return variable;
    }
    const named = typeNames.get(name);
    const opaque = this.#scope.types.get(name);
    if (opaque !== undefined) this.#constants.set(expression, new CelTypeValue(name));
    if (named !== undefined) this.#constants.set(expression, named.value);
    return named?.type ?? (opaque && typeType(opaque));
  }

  *#checkSelect(expression: SelectExpression): Steps<CelType> {
    const name = qualifiedName(expression);
    const qualified = name === undefined ? undefined : this.#lookUp(expression, name);
    if (qualified !== undefined) return qualified;
    const operand = yield* this.#checkBound(expression.operand);
    const type = this.#fieldType(operand, expression.field, expression.offset);
    return expression.testOnly ? boolType : type;
  }

  #fieldType(operand: CelType, field: string, offset: number): CelType {
    switch (operand.kind) {
      case 'optional':
        return optionalType(this.#fieldType(innerType(operand), field, offset));
      case 'map':
        return innerType(operand);
      case 'object':
        return operand.fields.get(field) ?? this.#report(offset, `undefined field '${field}'`);
      case 'parameter':
        assign(this.#bound, [dynType], [operand]);
        return dynType;
      case 'opaque':
        return this.#report(
          offset,
          operand.isMessage
            ? `unexpected failed resolution of '${operand.name}'`
            : `type '${operand.name}' does not support field selection`,
        );
      default:
        if (!isDynamic(operand) && operand.kind !== 'error')
          this.#report(offset, `type '${formatType(operand)}' does not support field selection`);
        return dynType;
    }
  }

  *#checkCall(expression: CallExpression): Steps<CelType> {
    const { name, target, offset } = expression;
    if (name === OPTIONAL_SELECT) return yield* this.#checkOptionalSelect(expression);
    const argumentTypes: CelType[] = [];
    for (const argument of expression.arguments) argumentTypes.push(yield* this.#check(argument));
    if (name === '_&&_' || name === '_||_') return this.#checkLogic(expression, argumentTypes);
    if (target === undefined) return this.#resolve(expression, name, argumentTypes, false);
    const prefix = qualifiedName(target);
    const namespaced = `${prefix ?? ''}.${name}`;
    if (prefix !== undefined && this.#scope.functions.has(namespaced))
      return this.#resolve(expression, namespaced, argumentTypes, false);
    const targetType = yield* this.#check(target);
    return this.#scope.functions.has(name)
      ? this.#resolve(expression, name, [targetType, ...argumentTypes], true)
      : this.#report(offset, `undeclared reference to '${name}' (in container '')`);
  }

  *#checkOptionalSelect({ arguments: [operand, field], offset }: CallExpression): Steps<CelType> {
    const operandType = operand === undefined ? dynType : yield* this.#checkBound(operand);
    const name = field?.kind === 'literal' && typeof field.value === 'string' ? field.value : '';
    const inner = operandType.kind === 'optional' ? innerType(operandType) : operandType;
    return optionalType(this.#fieldType(inner, name, offset));
  }

  #checkLogic(expression: CallExpression, types: readonly CelType[]): CelType {
    this.#resolutions.set(expression, { name: expression.name, candidates: [], isMethod: false });
    for (const [index, argument] of expression.arguments.entries())
      this.#demand(types[index] ?? dynType, boolType, argument.offset);
    return boolType;
  }

  #demand(actual: CelType, expected: CelType, offset: number): void {
    if (!assign(this.#bound, [actual], [expected]))
      this.#report(
        offset,
        `expected type '${formatType(this.#bound.apply(expected, false))}' but found '${formatType(this.#bound.apply(actual, false))}'`,
      );
  }

  /** Finds the overloads of a function that accept the arguments. */
  #resolve(expression: CallExpression, name: string, argumentTypes: readonly CelType[], isMethod: boolean): CelType {
    const declaration = this.#scope.functions.get(name);
    if (declaration === undefined)
      return this.#report(expression.offset, `undeclared reference to '${name}' (in container '')`);
    const candidates: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of declaration.overloads) {
      if (overload.isMethod !== isMethod) continue;
      const form = this.#instantiate(overload);
      if (!assign(this.#bound, argumentTypes, form.parameters)) continue;
      candidates.push(overload);
      const type = this.#bound.apply(form.result, false);
      result = result === undefined || sameType(result, type) ? type : dynType;
    }
    this.#resolutions.set(expression, { name, candidates, isMethod });
    if (result !== undefined) return result;
    const shown = argumentTypes.map((type) => this.#bound.apply(type, true));
    return this.#report(
      expression.offset,
      `found no matching overload for '${name}' applied to '${formatArguments(shown, isMethod)}'`,
    );
  }

  /** Returns the overload with fresh type parameters, so that two calls do not share bindings. */
  #instantiate({ parameters, result }: Overload): {
    readonly parameters: readonly CelType[];
    readonly result: CelType;
  } {
    const names = new Set([...parameters, result].flatMap(parameterNames));
    if (names.size === 0) return { parameters, result };
    const fresh = new Substitution(new Map([...names].map((name) => [name, this.#freshParameter()])));
    return { parameters: parameters.map((type) => fresh.apply(type, false)), result: fresh.apply(result, false) };
  }

  /** Returns the common type of all members; `dyn` for mixed types, which another check refuses. */
  *#joined(
    members: readonly { readonly value: Expression; readonly isOptional?: boolean | undefined }[],
  ): Steps<CelType> {
    let joined: CelType | undefined;
    for (const { value, isOptional = false } of members) {
      const type = isOptional ? yield* this.#checkOptionalMember(value) : yield* this.#check(value);
      this.#memberTypes.set(value, type);
      if (joined === undefined) joined = type;
      else joined = assign(this.#bound, [joined], [type]) ? mostGeneral(joined, type) : dynType;
    }
    return joined ?? this.#freshParameter();
  }

  /** Returns the type of the value that `?value` adds when it is present. */
  *#checkOptionalMember(value: Expression): Steps<CelType> {
    const type = yield* this.#checkBound(value);
    if (type.kind === 'optional') return innerType(type);
    if (isDynamic(type) || type.kind === 'error') return dynType;
    return this.#report(
      value.offset,
      `expected type '${formatType(optionalType(type))}' but found '${formatType(type)}'`,
    );
  }

  *#checkMap(entries: readonly MapEntry[]): Steps<CelType> {
    const keys = yield* this.#joined(entries.map(({ key }) => ({ value: key })));
    const type = mapType(keys, yield* this.#joined(entries));
    if (sizeOfType(this.#bound.apply(type, false), MAX_TYPE_SIZE) <= MAX_TYPE_SIZE) return type;
    return this.#report(entries[0]?.key.offset ?? 0, `type of the map has more than ${MAX_TYPE_SIZE} parts`);
  }

  *#checkComprehension(expression: ComprehensionExpression): Steps<CelType> {
    const range = yield* this.#checkBound(expression.range);
    const accumulated = yield* this.#check(expression.initial);
    this.#locals.push(
      { name: expression.accumulator, type: accumulated },
      { name: expression.variable, type: this.#itemType(range, expression.range.offset) },
    );
    this.#demand(yield* this.#check(expression.condition), boolType, expression.condition.offset);
    this.#demand(yield* this.#check(expression.step), accumulated, expression.step.offset);
    this.#locals.pop();
    const result = yield* this.#check(expression.result);
    this.#locals.pop();
    return this.#bound.apply(result, false);
  }

  #itemType(range: CelType, offset: number): CelType {
    if (range.kind === 'list' || range.kind === 'map') return partsOf(range)[0] ?? dynType;
    if (range.kind === 'parameter') assign(this.#bound, [dynType], [range]);
    if (range.kind === 'parameter' || isDynamic(range) || range.kind === 'error') return dynType;
    return this.#report(
      offset,
      `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
  }
}

/** Returns the number of parts of a type; counting ends above a limit. */
function sizeOfType(type: CelType, limit: number): number {
  let size = 1;
  for (const part of partsOf(type)) {
    if (size > limit) break;
    size += sizeOfType(part, limit - size);
  }
  return size;
}

const parameterNames = (type: CelType): readonly string[] =>
  type.kind === 'parameter' ? [type.name] : partsOf(type).flatMap(parameterNames);
