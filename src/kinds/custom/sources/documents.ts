/**
 * The documents of a source of definitions: objects, texts in YAML or JSON, files and directories.
 *
 * @module
 */
import type { Tags } from 'yaml';
import { isArray, isJsonObject, messageOf, shown, type JsonObject, type JsonValue } from '../../../foundation/index.js';

/**
 * Where definitions come from: an object, a list of objects, a string of YAML or JSON with any number of documents,
 * or the path of a file or directory. YAML and JSON have a line break or begin with a brace; any other string is a path.
 */
export type DefinitionSource = string | object;

/** A document. */
export interface SourceDocument {
  /** Its place, for errors: `config/crd/widgets.yaml, document 2`. Empty for an object. */
  readonly place: string;
  /** Whether it was found in a directory, where documents of other kinds are ignored. */
  readonly fromDirectory: boolean;
  readonly value: JsonObject;
}

/**
 * Reads the documents of a source. Lists of objects are expanded.
 *
 * @throws TypeError for a source or document of another type, and for an invalid text, with its place; Error when a file
 *   cannot be read
 */
export async function readDocuments(source: DefinitionSource): Promise<SourceDocument[]> {
  if (typeof source !== 'string') return objectDocuments(source);
  if (isText(source)) return textDocuments(source, '', false);
  const { readTextFiles } = await import('./host-files.js');
  const { isDirectory, files } = await readTextFiles(source);
  const documents = await Promise.all(files.map(({ path, text }) => textDocuments(text, path, isDirectory)));
  return documents.flat();
}

/** Returns whether a string is a text rather than a path. */
export const isText = (source: string): boolean => source.includes('\n') || source.trimStart().startsWith('{');

function objectDocuments(source: object): SourceDocument[] {
  // An object that a caller passes is JSON, or its validation refuses it.
  const value = source as JsonValue;
  if (isArray(value))
    return value.flatMap((item, index) => expanded(item, value.length === 1 ? '' : `item ${index + 1}`, false));
  return expanded(value, '', false);
}

/**
 * Reads the documents of a text in YAML or JSON. Lists of objects are expanded.
 *
 * @param path file of the text, for errors; empty for none
 * @throws TypeError for an invalid text, with its place
 */
export async function textDocuments(text: string, path: string, fromDirectory: boolean): Promise<SourceDocument[]> {
  const values = await parseDocuments(text, path);
  return values.flatMap((value, index) => {
    const document = values.length === 1 ? '' : `document ${index + 1}`;
    return value === null ? [] : expanded(value, joined(path, document), fromDirectory);
  });
}

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(', ');

/** Returns the objects of a document: itself, or the items of a list. */
function expanded(value: JsonValue, place: string, fromDirectory: boolean): SourceDocument[] {
  if (!isJsonObject(value)) throw new TypeError(joined(place, `a document must be an object, got ${shown(value)}`));
  const { kind, items } = value;
  if (typeof kind !== 'string' || !kind.endsWith('List') || !isArray(items)) return [{ place, fromDirectory, value }];
  return items.flatMap((item, index) => expanded(item, joined(place, `item ${index + 1}`), fromDirectory));
}

/** Tags of YAML 1.1 whose values JSON does not have, or that Kubernetes's parser does not resolve. */
const UNRESOLVED_TAGS: ReadonlySet<string> = new Set(
  ['timestamp', 'binary', 'omap', 'pairs', 'set'].map((name) => `tag:yaml.org,2002:${name}`),
);

const resolvedTags = (tags: Tags): Tags =>
  tags.filter((tag) => typeof tag === 'string' || (!UNRESOLVED_TAGS.has(tag.tag) && tag.format !== 'TIME'));

/** Returns the message of an error without the lines that show its place in the text. */
const firstLine = (message: string): string => message.replace(/:?\n[^]*$/, '');

/** Parses all documents of a text in YAML 1.1, as Kubernetes reads it. JSON is YAML too. */
async function parseDocuments(text: string, path: string): Promise<JsonValue[]> {
  const { parseAllDocuments } = await import('yaml');
  const documents = [
    ...parseAllDocuments(text, { version: '1.1', customTags: resolvedTags, prettyErrors: true, logLevel: 'silent' }),
  ];
  return documents.map((document, index) => {
    const place = joined(path, documents.length === 1 ? '' : `document ${index + 1}`);
    const [error] = document.errors;
    if (error !== undefined) throw new TypeError(joined(place, `invalid YAML: ${firstLine(error.message)}`));
    try {
      return document.toJS() as JsonValue;
    } catch (cause) {
      throw new TypeError(joined(place, `invalid YAML: ${messageOf(cause)}`), { cause });
    }
  });
}
