import { isJsonObject, messageOf, type JsonValue } from '../../foundation/index.js';
import { didYouMean } from '../did-you-mean.js';
import type { Flag, FlagForm, Flags } from './flag.js';

/** Flags that a configuration file cannot give. */
const NOT_IN_FILES: ReadonlySet<string> = new Set(['config', 'help', 'version']);

/** Returns the flags that a configuration file may give. */
export function flagsInFiles(flags: Flags): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => !NOT_IN_FILES.has(name)));
}

/** Parses the content of a configuration file: a mapping of names of flags to their values.
 *
 * @returns the parsed values by flag
 * @throws Error that names the key
 */
export function valuesInFile(flags: Flags, content: JsonValue): ReadonlyMap<string, unknown> {
  if (content === null) return new Map();
  if (!isJsonObject(content)) throw new Error('must be a mapping of flags to values');
  const known = flagsInFiles(flags);
  return new Map(
    Object.entries(content).map(([name, value]) => {
      const flag = Object.hasOwn(known, name) ? known[name] : undefined;
      if (flag === undefined) throw new Error(`unknown key "${name}"${didYouMean(name, Object.keys(known))}`);
      try {
        return [name, parsed(flag, value)];
      } catch (error) {
        throw new Error(`key "${name}": ${messageOf(error)}`);
      }
    }),
  );
}

function parsed(flag: Flag<unknown>, value: JsonValue | undefined): unknown {
  const texts = forms[flag.form ?? 'string'].texts(value);
  let result: unknown;
  for (const text of texts) result = flag.parse(text, result);
  // An empty list is what an empty text is to a flag of a list.
  return texts.length === 0 ? flag.parse('', undefined) : result;
}

/** How the values of a form are written in a file. */
interface FileForm {
  /** JSON Schema of a value. */
  readonly schema: Readonly<Record<string, JsonValue>>;
  /** Returns the texts that a flag parses, one after the other. @throws Error for a value of another form */
  texts(value: JsonValue | undefined): readonly string[];
}

const scalar = { type: ['string', 'number', 'boolean'] };

const forms: Readonly<Record<FlagForm, FileForm>> = {
  string: { schema: { type: 'string' }, texts: (value) => [stringIn(value)] },
  boolean: { schema: { type: 'boolean' }, texts: (value) => [textOf(value, 'true or false', ['boolean'])] },
  number: { schema: { type: 'number' }, texts: (value) => [textOf(value, 'a number', ['number'])] },
  quantity: {
    schema: { type: ['integer', 'string'] },
    texts: (value) => [textOf(value, 'a number or a string', ['number', 'string'])],
  },
  list: {
    schema: { oneOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }] },
    texts: (value) =>
      Array.isArray(value) ? value.map((item: JsonValue) => quoted(stringIn(item))) : [stringIn(value)],
  },
  repeated: {
    schema: { oneOf: [{ type: 'array', minItems: 1, items: { type: 'string' } }, { type: 'string' }] },
    texts: repeatedTexts,
  },
  pairs: {
    schema: { oneOf: [{ type: 'object', additionalProperties: scalar }, { type: 'string' }] },
    texts: (value) =>
      isJsonObject(value)
        ? Object.entries(value).map(
            ([key, item]) => `${key}=${textOf(item, 'a string, a number or true or false', scalar.type)}`,
          )
        : [stringIn(value)],
  },
};

/** Returns the JSON Schema of the value of a flag in a file. */
export const schemaOf = (flag: Flag<unknown>): Readonly<Record<string, JsonValue>> => ({
  ...forms[flag.form ?? 'string'].schema,
  ...(flag.choices === undefined ? {} : { enum: [...flag.choices] }),
});

function repeatedTexts(value: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(value)) return [stringIn(value)];
  if (value.length === 0) throw new Error('must have at least one item');
  return value.map((item: JsonValue) => stringIn(item));
}

function stringIn(value: JsonValue | undefined): string {
  const written = typeof value === 'number' || typeof value === 'boolean' ? `: write "${String(value)}"` : '';
  return textOf(value, `a string${written}`, ['string']);
}

function textOf(value: JsonValue | undefined, what: string, types: readonly string[]): string {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  if (!isScalar || !types.includes(typeof value)) throw new Error(`must be ${what}`);
  return String(value);
}

/** Quotes a text as a field of CSV. */
const quoted = (text: string): string =>
  /[",\n\r]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text;
