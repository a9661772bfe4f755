/**
 * The `fieldPath` of a rule: the reported field, relative to the value of the rule, as a JSONPath of fields and keys:
 * `.spec.name`, `['a.b']`.
 *
 * Source: `ValidFieldPath` of Kubernetes 1.31.
 *
 * @module
 */
import { FieldPath } from '../meta/field-path.js';
import type { StructuralSchema } from '../schema/structural.js';

/**
 * Resolves a path in a schema.
 *
 * @returns the path as errors show it
 * @throws RangeError with the message of Kubernetes when the path is invalid, or leads to no field of the schema
 */
export function resolveReportedPath(text: string, schema: StructuralSchema): FieldPath {
  const tokens = tokensOf(text);
  let path = FieldPath.root;
  let current = schema;
  const next = (): string => tokens.shift() ?? fail('unexpected end of JSON path');
  while (tokens.length > 0) {
    const token = next();
    let name: string;
    if (token === '.') name = next();
    else if (token === '[') name = unquoted(next());
    else fail(`expected [ or . but got: ${token}`);
    const { properties, additionalProperties } = current;
    if (properties === undefined && additionalProperties !== undefined) {
      path = path.key(name);
      current = additionalProperties;
    } else {
      path = path.child(name);
      current = properties?.get(name) ?? fail('does not refer to a valid field');
    }
    if (token === '[') expect(next(), ']');
  }
  return path;
}

function fail(message: string): never {
  throw new RangeError(message);
}

function expect(token: string, wanted: string): void {
  if (token !== wanted) fail(`expected ${wanted} but got ${token}`);
}

/** A quoted text up to its end, a delimiter, or other text up to a delimiter. A quote within other text is part of it. */
const TOKEN = /'(?:[^']|(?<=\\)')*'|'[^]*|[.[\]]|[^.[\]]+/g;

const tokensOf = (text: string): string[] => text.match(TOKEN) ?? [];

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

function unquoted(token: string): string {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'"))
    fail(`expected single quoted string but got ${token}`);
  return token
    .slice(1, -1)
    .replace(
      /\\(.)/g,
      (escape, letter: string) => ESCAPES[letter] ?? fail(`invalid string literal: invalid escape char ${escape}`),
    );
}
