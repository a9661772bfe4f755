/**
 * Names of fields in expressions. A field whose name is not an identifier of CEL is written with escapes: `a-b` as
 * `a__dash__b`.
 *
 * @module
 */
import { ownMember } from '../../foundation/index.js';

/** Reserved words of CEL; a field of that name is written between double underscores. */
const RESERVED: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};
const ESCAPED = /__|[-./]/g;
const ESCAPABLE = /^[a-zA-Z_./-][\w./-]*$/;

/** Returns a field's name in expressions; undefined for a field that expressions cannot name. */
export function escapedFieldName(name: string): string | undefined {
  if (!ESCAPABLE.test(name)) return undefined;
  if (RESERVED.has(name)) return `__${name}__`;
  return name.replace(ESCAPED, (part) => ownMember(ESCAPES, part) ?? part);
}
