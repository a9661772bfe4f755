/**
 * Members of a literal must have one type: all items of a list, all keys and all values of a map. Arguments of `format`
 * may be mixed.
 *
 * @module
 */
import type { Expression } from '../syntax/ast.js';
import type { Issue } from '../syntax/source.js';
import { sameType } from '../types/assignable.js';
import { dynType, formatType, type CelType } from '../types/types.js';

/** Returns false for a call whose arguments are not checked. */
export const isHomogeneous = (part: Expression): boolean => part.kind !== 'call' || part.name !== 'format';

/**
 * Finds members of a literal whose type differs from its first member.
 *
 * @param memberTypes the types from the checker
 */
export function homogeneityIssues(part: Expression, memberTypes: ReadonlyMap<Expression, CelType>): Issue[] {
  const typeOf = (member: Expression): CelType => memberTypes.get(member) ?? dynType;
  if (part.kind === 'list') return firstMismatch(part.elements, typeOf);
  if (part.kind !== 'map') return [];
  const columns = [part.entries.map(({ key }) => key), part.entries.map(({ value }) => value)];
  return columns.flatMap((members) => firstMismatch(members, typeOf));
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
