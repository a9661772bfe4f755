/**
 * `cel.bind(name, value, expression)`: gives a value a name within an expression. Source: cel-go, `ext.Bindings`.
 *
 * @module
 */
import type { Macro } from '../syntax/macros.js';
import type { CelLibrary } from '../types/declarations.js';

/** Name of a loop's variable that no expression can read. */
const UNUSED = '#unused';

const bind: Macro = {
  name: 'bind',
  arity: 3,
  isMethod: true,
  expand({ offset, target, arguments: [variable, value, body], report }) {
    if (target?.kind !== 'identifier' || target.name !== 'cel') return undefined;
    if (variable === undefined || value === undefined || body === undefined) return undefined;
    if (variable.kind !== 'identifier') {
      report({ offset: variable.offset, message: 'cel.bind() variable names must be simple identifiers' });
      return target;
    }
    // A loop over nothing, whose accumulator is the variable.
    return {
      kind: 'comprehension',
      offset,
      range: { kind: 'list', offset, elements: [], optional: new Set() },
      variable: UNUSED,
      accumulator: variable.name,
      initial: value,
      condition: { kind: 'literal', offset, value: false },
      step: variable,
      result: body,
    };
  },
};

/** The macro that names values. */
export const bindingsLibrary: CelLibrary = { name: 'bindings', functions: [], macros: [bind] };
