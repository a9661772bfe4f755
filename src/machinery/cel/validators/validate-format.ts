/**
 * Checks calls of `format` with a literal template and a literal list of values: calls that would always fail are
 * refused at compile time.
 *
 * @module
 */
import { CelFailure } from '../evaluate/failures.js';
import { formatClauses, parseFormat, type FormatClause } from '../libraries/format-clauses.js';
import type { CallExpression, Expression, ListExpression } from '../syntax/ast.js';
import type { Issue } from '../syntax/source.js';
import { formatType, dynType, type CelType } from '../types/types.js';

type MemberTypes = ReadonlyMap<Expression, CelType>;

/** Returns the problem of a part of an expression that is a `format` call. */
export function formatIssues(part: Expression, memberTypes: MemberTypes): Issue[] {
  if (part.kind !== 'call' || part.name !== 'format') return [];
  const { target, arguments: given } = part;
  const [values] = given;
  if (target?.kind !== 'literal' || typeof target.value !== 'string' || values?.kind !== 'list') return [];
  const issue = formatIssue(part, target.value, values, memberTypes);
  return issue === undefined ? [] : [issue];
}

function formatIssue(
  { offset }: CallExpression,
  template: string,
  { elements }: ListExpression,
  memberTypes: MemberTypes,
): Issue | undefined {
  let used = 0;
  for (const part of parseFormat(template, elements.length)) {
    if (typeof part === 'string') continue;
    if (part instanceof CelFailure) return { offset, message: part.message };
    used += 1;
    const wrong = firstRefused(part, elements[part.index], memberTypes);
    if (wrong === undefined) continue;
    const message = `error during formatting: ${formatClauses[part.name]?.refusal ?? ''}, was given ${typeName(wrong.type)}`;
    return { offset: wrong.offset, message };
  }
  return elements.length > used
    ? {
        offset,
        message: `too many arguments supplied to string.format (expected ${used}, got ${elements.length})`,
      }
    : undefined;
}

/** Returns the first value that a clause does not accept: its own value, or a value inside it. */
function firstRefused(
  clause: FormatClause,
  value: Expression | undefined,
  memberTypes: MemberTypes,
): { readonly offset: number; readonly type: CelType } | undefined {
  if (value === undefined) return undefined;
  const type = memberTypes.get(value) ?? dynType;
  if (!mayAccept(clause, type)) return { offset: value.offset, type };
  if (clause.name !== 's') return undefined;
  for (const member of membersOf(value)) {
    const wrong = firstRefused(clause, member, memberTypes);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function membersOf(value: Expression): readonly Expression[] {
  if (value.kind === 'list') return value.elements;
  return value.kind === 'map' ? value.entries.flatMap((entry) => [entry.key, entry.value]) : [];
}

/** Returns true when a clause may accept values of a type. Dynamic values are checked in the evaluation. */
const mayAccept = ({ name }: FormatClause, { kind }: CelType): boolean =>
  kind === 'dyn' ||
  kind === 'any' ||
  kind === 'error' ||
  kind === 'parameter' ||
  formatClauses[name]?.kinds.includes(kind) === true;

/** Names of types without their parameters. */
const names: Partial<Record<CelType['kind'], string>> = {
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  null: 'null_type',
  optional: 'optional_type',
  list: 'list',
  map: 'map',
  type: 'type',
};

const typeName = (type: CelType): string => names[type.kind] ?? formatType(type);
