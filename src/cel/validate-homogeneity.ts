/**
 * Members of a literal must have one type: all items of a list, all keys and all values of a map. Arguments of `format`
 * may be mixed.
 *
 * @module
 */
import { appendAll } from '../meta/append-to.js';
import { sameType } from './assignable.js';
import { childrenOf, type Expression } from './ast.js';
import type { Issue } from './source.js';
import { dynType, formatType, type CelType } from './types.js';

/** The function whose arguments are not checked. */
const EXEMPT = 'format';

/**
 * Finds members whose type differs from the first member of their literal.
 *
 * @param memberTypes the types from the checker
 */
export function validateHomogeneity(expression: Expression, memberTypes: ReadonlyMap<Expression, CelType>): Issue[] {
  if (expression.kind === 'call' && expression.name === EXEMPT) return [];
  const issues = childrenOf(expression).flatMap((child) => validateHomogeneity(child, memberTypes));
  const typeOf = (member: Expression): CelType => memberTypes.get(member) ?? dynType;
  if (expression.kind === 'list') appendAll(issues, firstMismatch(expression.elements, typeOf));
  if (expression.kind === 'map') {
    const columns = [expression.entries.map(({ key }) => key), expression.entries.map(({ value }) => value)];
    appendAll(
      issues,
      columns.flatMap((members) => firstMismatch(members, typeOf)),
    );
  }
  return issues;
}

function firstMismatch([first, ...others]: readonly Expression[], typeOf: (member: Expression) => CelType): Issue[] {
  const expected = first === undefined ? dynType : typeOf(first);
  const other = others.find((member) => !sameType(expected, typeOf(member)));
  return other === undefined
    ? []
    : [
        {
          offset: other.offset,
          message: `expected type '${formatType(expected)}' but found '${formatType(typeOf(other))}'`,
        },
      ];
}
