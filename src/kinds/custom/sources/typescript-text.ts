/**
 * The layout of TypeScript declarations: names, literals, comments and lines of at most 120 characters.
 *
 * @module
 */
import { jsonText } from '../../../foundation/index.js';

/** Maximum length of a line. */
export const LINE_LENGTH = 120;

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Returns a text in CamelCase, as a part of the name of a type. */
export function camelCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** Returns the key of a member: quoted when it is not an identifier. */
export const memberKey = (name: string): string => (IDENTIFIER.test(name) ? name : literal(name));

/** Returns a literal of a JSON value; texts have single quotes unless that needs more escapes. */
export function literal(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  const text = jsonText(value);
  if (typeof value !== 'string') return text;
  const singles = value.split("'").length;
  if (singles > value.split('"').length) return text;
  return `'${text.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** Returns a documentation comment with a line feed; empty without text. */
export function comment(lines: readonly string[], indent: string): string {
  const width = LINE_LENGTH - indent.length - 3;
  const safe = lines.flatMap((line) => line.replaceAll('*/', '*\\/').split(/\r?\n/)).map((line) => line.trimEnd());
  while (safe.at(-1) === '') safe.pop();
  while (safe[0] === '') safe.shift();
  const [only] = safe;
  if (only === undefined) return '';
  if (safe.length === 1 && only.length <= width - 4) return `${indent}/** ${only} */\n`;
  const body = safe
    .flatMap((line) => wrapped(line, width))
    .map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`);
  return `${indent}/**\n${body.join('')}${indent} */\n`;
}

/** Breaks a line at spaces. Its indentation is kept, so that lists and code stay readable. */
function wrapped(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const indent = /^\s*/.exec(line)?.[0] ?? '';
  const result: string[] = [];
  let current = indent;
  for (const word of line.trimStart().split(' ')) {
    const longer = current === indent ? indent + word : `${current} ${word}`;
    if (longer.length > width && current !== indent) {
      result.push(current);
      current = indent + word;
    } else {
      current = longer;
    }
  }
  return [...result, current];
}

/** Returns the declaration of a union type, with a line for each member when it is long. */
export function unionDeclaration(name: string, members: readonly string[]): string {
  const line = `export type ${name} = ${members.join(' | ')};`;
  if (line.length <= LINE_LENGTH) return `${line}\n`;
  return `export type ${name} =\n${members.map((member) => `  | ${member}`).join('\n')};\n`;
}
