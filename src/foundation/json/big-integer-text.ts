/**
 * The JSON text of values with bigints, for which `JSON.stringify` throws.
 *
 * @module
 */

/** The white space of a text: none for a compact one. */
interface Spaces {
  /** The indentation that each level adds. */
  readonly indent: string;
  /** The space after the colon of a member. */
  readonly colon: string;
}

/**
 * Returns the JSON text of a value, as `JSON.stringify` does for a value without bigints: they become integers.
 *
 * @param indent number of spaces for each level; 0 for a compact text
 * @throws RangeError for a value that contains itself
 */
export function textWithBigIntegers(value: unknown, indent: number): string {
  const spaces = { indent: ' '.repeat(indent), colon: indent === 0 ? ':' : ': ' };
  return textOf(value, spaces, indent === 0 ? '' : '\n') as string;
}

/**
 * Returns the text of a value; undefined for one that JSON has not, such as a function.
 *
 * @param line the line break before the end of the value, with the spaces that follow it
 */
function textOf(value: unknown, spaces: Spaces, line: string): string | undefined {
  switch (typeof value) {
    case 'bigint':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      if ('toJSON' in value && typeof value.toJSON === 'function')
        return textOf(Reflect.apply(value.toJSON, value, []), spaces, line);
      return Array.isArray(value) ? listText(value, spaces, line) : objectText(value, spaces, line);
    default:
      return JSON.stringify(value);
  }
}

function listText(items: readonly unknown[], spaces: Spaces, line: string): string {
  if (items.length === 0) return '[]';
  const inner = line + spaces.indent;
  let text = '';
  for (const item of items) text += `${text === '' ? '[' : ','}${inner}${textOf(item, spaces, inner) ?? 'null'}`;
  return `${text}${line}]`;
}

function objectText(object: object, spaces: Spaces, line: string): string {
  const inner = line + spaces.indent;
  let text = '';
  for (const key of Object.keys(object)) {
    const member = textOf((object as Readonly<Record<string, unknown>>)[key], spaces, inner);
    if (member !== undefined)
      text += `${text === '' ? '{' : ','}${inner}${JSON.stringify(key)}${spaces.colon}${member}`;
  }
  return text === '' ? '{}' : `${text}${line}}`;
}
