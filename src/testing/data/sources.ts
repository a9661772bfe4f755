import { isJsonObject, shown, stringOrEmpty, type JsonObject } from '../../foundation/index.js';
import { isText, readDocuments, textDocuments, type SourceDocument } from '../../kinds/index.js';
import { isPattern, matchingFiles, pathOfUrl } from './host-paths.js';

/**
 * Where objects come from:
 *
 * - a path of a file or directory, or a `file:` URL; a directory stands for its files that end in .yaml, .yml or .json
 * - a pattern of paths: `manifests/*.yaml`, `deploy/**\/*.{yaml,json}`
 * - a string of YAML or JSON with any number of documents, such as the output of `kubectl kustomize`. It has a line break
 *   or begins with a brace; any other string is a path
 * - an object, a List of objects, or an array of them
 * - a stream of strings or bytes, such as the standard output of a process
 */
export type ObjectSource = string | URL | object | AsyncIterable<string | Uint8Array>;

/** An object to load. */
export interface SourceObject {
  /** Its place, for errors: `manifests/web.yaml, document 2`. Empty for an object. */
  readonly place: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly value: JsonObject;
}

/**
 * Reads the objects of a source.
 *
 * @throws TypeError with the place of a document that is not an object of the API; Error when a file cannot be read
 */
export async function readObjects(source: ObjectSource): Promise<SourceObject[]> {
  if (!isList(source)) return (await documentsOf(source)).map(sourceObject);
  const read = await Promise.all(source.map(readObjects));
  return read.flatMap((objects, index) =>
    objects.map((object) => (object.place === '' ? { ...object, place: `item ${index + 1}` } : object)),
  );
}

const isList = (source: ObjectSource): source is readonly ObjectSource[] => Array.isArray(source);

async function documentsOf(source: ObjectSource): Promise<SourceDocument[]> {
  if (typeof source === 'string' && source.trim() === '')
    throw new TypeError('load: a source is empty: pass a path, a string in YAML or JSON, or objects');
  if (typeof source === 'string' && !isText(source) && isPattern(source))
    return (await Promise.all(matchingFiles(source).map((file) => readDocuments(file)))).flat();
  if (source instanceof URL) return readDocuments(pathOfUrl(source));
  if (isStream(source)) return textDocuments(await textOf(source), 'the stream', false);
  if (typeof source !== 'string' && (typeof source !== 'object' || source === null))
    throw new TypeError(`load: a source must be a path, a string, a stream or objects, got ${shown(source)}`);
  if (source instanceof Promise) throw new TypeError(`load: a source must not be ${shown(source)}`);
  return readDocuments(source);
}

function isStream(source: ObjectSource): source is AsyncIterable<string | Uint8Array> {
  return typeof source === 'object' && source !== null && Symbol.asyncIterator in source;
}

/** Maximum length of a stream, in characters. */
const MAX_STREAM_CHARACTERS = 32 * 1024 * 1024;

async function textOf(stream: AsyncIterable<string | Uint8Array>): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for await (const chunk of stream) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    if (text.length > MAX_STREAM_CHARACTERS)
      throw new Error(`load: the stream is longer than ${MAX_STREAM_CHARACTERS} characters`);
  }
  return text + decoder.decode();
}

/** Kinds of configuration files that lie beside manifests and are not objects of the API. */
const BUILD_FILES: ReadonlyMap<string, string> = new Map([
  ['Kustomization', 'pass the output of `kubectl kustomize` as text'],
  ['Component', 'pass the output of `kubectl kustomize` as text'],
]);

function sourceObject({ place, value }: SourceDocument): SourceObject {
  const { apiVersion, kind, metadata } = value;
  const at = place === '' ? 'load' : `load: ${place}`;
  const remedy = BUILD_FILES.get(stringOrEmpty(kind));
  if (remedy !== undefined && (typeof apiVersion !== 'string' || apiVersion.startsWith('kustomize.')))
    throw new TypeError(`${at}: a ${shown(kind)} is not an object of the API: ${remedy}`);
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || apiVersion === '' || kind === '')
    throw new TypeError(
      `${at}: an object needs apiVersion and kind, got apiVersion ${shown(apiVersion)}, kind ${shown(kind)}`,
    );
  if (!isJsonObject(metadata) || !(hasText(metadata['name']) || hasText(metadata['generateName'])))
    throw new TypeError(`${at}: ${kind} without metadata.name`);
  return { place, apiVersion, kind, value };
}

const hasText = (value: unknown): boolean => typeof value === 'string' && value !== '';
