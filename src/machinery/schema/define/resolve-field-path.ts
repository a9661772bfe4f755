/**
 * Paths of fields as authors of custom kinds write them, in rules and for field selectors: `.spec.ports`,
 * `.data['a.b']`.
 *
 * Source: `ValidFieldPath` of Kubernetes 1.31.
 *
 * @module
 */
import { FieldPath, ownMember } from '../../../foundation/index.js';
import type { StructuralSchema } from './structural.js';

/** A field that a path leads to. */
export interface ResolvedField {
  readonly path: string;
  /** First field of the path. */
  readonly root: string;
  readonly schema: StructuralSchema;
}

const NO_FIELD = 'does not refer to a valid field';
const END = 'unexpected end of JSON path';

/** Splits a path at dots and brackets, which are tokens of their own; quoted texts stay together. */
function tokensOf(text: string): string[] {
  return text.match(/'[^]*?(?<!\\)'|'[^]*|[.[\]]|[^.[\]]+/g) ?? [];
}

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

/** Thrown to end the resolution of a path; its message is that of Kubernetes. */
class PathProblem extends Error {}

function unquoted(token: string): string {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'"))
    throw new PathProblem(`expected single quoted string but got ${token}`);
  return token.slice(1, -1).replace(/\\(.)/g, (escape, letter: string) => {
    const character = ownMember(ESCAPES, letter);
    if (character === undefined) throw new PathProblem(`invalid string literal: invalid escape char ${escape}`);
    return character;
  });
}

/** Follows a path one step at a time. */
class Resolution {
  path = FieldPath.root;
  root = '';
  schema: StructuralSchema;

  constructor(schema: StructuralSchema) {
    this.schema = schema;
  }

  step(name: string): void {
    const { properties, additionalProperties } = this.schema;
    const isKey = properties === undefined && additionalProperties !== undefined;
    const next = isKey ? additionalProperties : properties?.get(name);
    if (next === undefined) throw new PathProblem(NO_FIELD);
    this.path = isKey ? this.path.key(name) : this.path.child(name);
    this.schema = next;
    if (this.root === '') this.root = name;
  }
}

/**
 * Returns the field that a path leads to, or Kubernetes's message for an invalid path.
 *
 * @param allowsBrackets whether a field may be written in brackets. Default true
 */
export function resolveFieldPath(
  text: string,
  schema: StructuralSchema,
  allowsBrackets = true,
): ResolvedField | string {
  const tokens = tokensOf(text);
  const next = (): string => {
    const token = tokens.shift();
    if (token === undefined) throw new PathProblem(END);
    return token;
  };
  const resolution = new Resolution(schema);
  try {
    while (tokens.length > 0) {
      const token = next();
      if (token === '.') resolution.step(next());
      else if (token === '[') {
        if (!allowsBrackets) throw new PathProblem('array notation is not allowed');
        resolution.step(unquoted(next()));
        const end = next();
        if (end !== ']') throw new PathProblem(`expected ] but got ${end}`);
      } else throw new PathProblem(`expected [ or . but got: ${token}`);
    }
  } catch (error) {
    if (!(error instanceof PathProblem)) throw error;
    return error.message;
  }
  return { path: resolution.path.toString(), root: resolution.root, schema: resolution.schema };
}
