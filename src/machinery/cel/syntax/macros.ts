/**
 * Macros: calls that expand to other expressions. `list.all(x, p)` becomes a loop with an accumulator (cel-spec,
 * "Macros"). The expansion determines types and costs.
 *
 * @module
 */
import { ACCUMULATOR, OPTIONAL_SELECT, type Expression } from './ast.js';
import type { Issue } from './source.js';

/** A call that a macro may expand. */
export interface MacroCall {
  readonly offset: number;
  readonly target?: Expression | undefined;
  readonly arguments: readonly Expression[];
  report(issue: Issue): void;
}

/** Expands calls of one name with one number of arguments. */
export interface Macro {
  readonly name: string;
  readonly arity: number;
  /** True for a method, `list.all(…)`. */
  readonly isMethod: boolean;
  /** @returns undefined when the macro does not apply to the call */
  readonly expand: (call: MacroCall) => Expression | undefined;
}

/** Returns the key of the calls that a macro may expand. */
export const macroKey = (name: string, arity: number, isMethod: boolean): string =>
  `${isMethod ? '.' : ''}${name}/${arity}`;

const NONE: ReadonlySet<number> = new Set();

/** Builds expressions at the offset of the macro's call. */
function builderAt(offset: number) {
  const call = (name: string, ...args: Expression[]): Expression => ({ kind: 'call', offset, name, arguments: args });
  const method = (target: Expression, name: string): Expression => ({
    kind: 'call',
    offset,
    name,
    target,
    arguments: [],
  });
  const literal = (value: boolean | bigint): Expression => ({ kind: 'literal', offset, value });
  const identifier = (name: string): Expression => ({ kind: 'identifier', offset, name });
  const list = (...elements: Expression[]): Expression => ({ kind: 'list', offset, elements, optional: NONE });
  return { call, method, literal, identifier, list, accumulated: identifier(ACCUMULATOR) };
}

type Builder = ReturnType<typeof builderAt>;

/** Parts of a loop over the call's target. */
interface Loop {
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** Returns a macro `list.name(variable, …)` whose loop is built from the other arguments. */
function loopMacro(
  name: string,
  arity: number,
  message: string,
  loop: (build: Builder, variable: Expression, rest: readonly Expression[]) => Loop,
): Macro {
  const expand = ({ offset, target, arguments: [variable, ...rest], report }: MacroCall): Expression | undefined => {
    if (target === undefined || variable === undefined) return undefined;
    if (variable.kind !== 'identifier') {
      report({ offset: variable.offset, message });
      return target;
    }
    const parts = loop(builderAt(offset), variable, rest);
    return {
      kind: 'comprehension',
      offset,
      range: target,
      variable: variable.name,
      accumulator: ACCUMULATOR,
      ...parts,
    };
  };
  return { name, arity, isMethod: true, expand };
}

const NOT_SIMPLE = 'argument must be a simple name';
const NOT_IDENTIFIER = 'argument is not an identifier';

/** `all` and `exists`: they stop at the deciding item, and an error counts only when no item decides. */
const quantifier = (name: string, initial: boolean, operator: string): Macro =>
  loopMacro(name, 2, NOT_SIMPLE, ({ call, literal, accumulated }, _variable, [predicate = literal(true)]) => ({
    initial: literal(initial),
    condition: call('@not_strictly_false', initial ? accumulated : call('!_', accumulated)),
    step: call(operator, accumulated, predicate),
    result: accumulated,
  }));

const existsOne: Macro = loopMacro(
  'exists_one',
  2,
  NOT_SIMPLE,
  ({ call, literal, accumulated }, _variable, [predicate = literal(true)]) => ({
    initial: literal(0n),
    condition: literal(true),
    step: call('_?_:_', predicate, call('_+_', accumulated, literal(1n)), accumulated),
    result: call('_==_', accumulated, literal(1n)),
  }),
);

/** `map` and `filter`: each item is appended to a list when the predicate is true. */
const collecting = (
  name: string,
  arity: number,
  item: (
    variable: Expression,
    rest: readonly Expression[],
  ) => { predicate?: Expression | undefined; value: Expression },
): Macro =>
  loopMacro(name, arity, NOT_IDENTIFIER, ({ call, literal, list, accumulated }, variable, rest) => {
    const { predicate, value } = item(variable, rest);
    const appended = call('_+_', accumulated, list(value));
    return {
      initial: list(),
      condition: literal(true),
      step: predicate === undefined ? appended : call('_?_:_', predicate, appended, accumulated),
      result: accumulated,
    };
  });

const has: Macro = {
  name: 'has',
  arity: 1,
  isMethod: false,
  expand({ offset, arguments: [argument], report }) {
    if (argument?.kind === 'select' && !argument.testOnly) return { ...argument, offset, testOnly: true };
    if (argument?.kind === 'call' && argument.name === OPTIONAL_SELECT) {
      const [operand, field] = argument.arguments;
      if (operand !== undefined && field?.kind === 'literal' && typeof field.value === 'string') {
        return { kind: 'select', offset, operand, field: field.value, testOnly: true };
      }
    }
    report({ offset: argument?.offset ?? offset, message: 'invalid argument to has() macro' });
    return argument;
  },
};

/** The macros of the standard environment. */
export const standardMacros: readonly Macro[] = [
  has,
  quantifier('all', true, '_&&_'),
  quantifier('exists', false, '_||_'),
  existsOne,
  collecting('map', 2, (variable, [transform = variable]) => ({ value: transform })),
  collecting('map', 3, (variable, [predicate, transform = variable]) => ({ predicate, value: transform })),
  collecting('filter', 2, (variable, [predicate]) => ({ predicate, value: variable })),
];

/**
 * `optional.optMap(x, e)` evaluates the expression with the value if present; `optFlatMap` for an expression that is
 * optional itself.
 */
const optionalMacro = (name: string, wrap: (build: Builder, mapped: Expression) => Expression): Macro => ({
  name,
  arity: 2,
  isMethod: true,
  expand({ offset, target, arguments: [variable, body], report }) {
    if (target === undefined || variable === undefined || body === undefined) return undefined;
    if (variable.kind !== 'identifier') {
      report({ offset: variable.offset, message: `${name}() variable name must be a simple identifier` });
      return target;
    }
    const build = builderAt(offset);
    const mapped: Expression = {
      kind: 'comprehension',
      offset,
      range: build.list(),
      variable: '#unused',
      accumulator: variable.name,
      initial: build.method(target, 'value'),
      condition: build.literal(false),
      step: build.identifier(variable.name),
      result: body,
    };
    return build.call('_?_:_', build.method(target, 'hasValue'), wrap(build, mapped), build.call('optional.none'));
  },
});

/** The macros of optional values. */
export const optionalMacros: readonly Macro[] = [
  optionalMacro('optMap', ({ call }, mapped) => call('optional.of', mapped)),
  optionalMacro('optFlatMap', (_build, mapped) => mapped),
];
