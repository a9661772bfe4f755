/**
 * The checks of a converted object. A conversion may change labels and annotations, but no other metadata.
 *
 * @module
 */
import {
  aggregateText,
  apiVersionOf,
  goTypeName,
  isJsonObject,
  parseApiVersion,
  stringOrEmpty,
  validateAnnotations,
  validateLabels,
  type JsonObject,
  type JsonValue,
  type ObjectMeta,
  type StoredObject,
} from '../../foundation/index.js';

/** An invalid converted object, with the message of Kubernetes. */
export class InvalidConversion extends Error {
  override readonly name = 'InvalidConversion';
  /** The part that is invalid. Kubernetes words the error of each part differently. */
  readonly part: 'type' | 'object' | 'metadata';

  constructor(part: InvalidConversion['part'], message: string) {
    super(message);
    this.part = part;
  }
}

/**
 * Checks a converted object and restores its metadata, except for labels and annotations.
 *
 * @param original the object before the conversion
 * @throws InvalidConversion
 */
export function checkedConversion(original: StoredObject, converted: JsonObject, apiVersion: string): StoredObject {
  checkType(original, converted, apiVersion);
  for (const [field, name] of IMMUTABLE) {
    const before = textIn(original.metadata, field);
    const after = textIn(converted['metadata'], field);
    if (before !== after) throw new InvalidConversion('object', `must have the same ${name}: ${before} != ${after}`);
  }
  const { kind: _kind, apiVersion: _apiVersion, metadata: _metadata, ...fields } = converted;
  return { kind: original.kind, apiVersion, metadata: restoredMetadata(original, converted['metadata']), ...fields };
}

const IMMUTABLE = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

function checkType(original: StoredObject, converted: JsonObject, apiVersion: string): void {
  const parsed = parseApiVersion(textIn(converted, 'apiVersion'));
  const received = parsed === undefined ? '' : apiVersionOf(parsed.group, parsed.version);
  if (received !== apiVersion)
    throw new InvalidConversion('type', `invalid groupVersion (expected ${apiVersion}, received ${received})`);
  const kind = textIn(converted, 'kind');
  if (kind !== original.kind)
    throw new InvalidConversion('type', `invalid kind (expected ${original.kind}, received ${kind})`);
}

/** Returns the metadata of the original, with the labels and annotations of the converted object. */
function restoredMetadata(original: StoredObject, metadata: JsonValue | undefined): ObjectMeta {
  if (metadata === undefined) throw new InvalidConversion('metadata', 'missing metadata in converted object');
  if (!isJsonObject(metadata))
    throw new InvalidConversion('metadata', `invalid metadata of type ${goTypeName(metadata)} in converted object`);
  const restored: ObjectMeta = { ...original.metadata };
  for (const field of ['labels', 'annotations'] as const) {
    const texts = restoredTexts(field, metadata[field], restored[field] ?? {});
    if (texts === undefined) delete restored[field];
    else restored[field] = texts;
  }
  return restored;
}

function restoredTexts(
  field: 'labels' | 'annotations',
  converted: JsonValue | undefined,
  before: Readonly<Record<string, string>>,
): Record<string, string> | undefined {
  if (converted === undefined || converted === null) return undefined;
  if (!isJsonObject(converted))
    throw new InvalidConversion(
      'metadata',
      `invalid metadata.${field} of type ${goTypeName(converted)} in converted object`,
    );
  const texts: Record<string, string> = {};
  for (const [key, value] of Object.entries(converted)) {
    if (typeof value !== 'string')
      throw new InvalidConversion(
        'metadata',
        `metadata.${field}[${key}] must be a string, but is ${goTypeName(value ?? null)} in converted object`,
      );
    texts[key] = value;
  }
  const keys = Object.keys(texts);
  if (keys.length === Object.keys(before).length && keys.every((key) => before[key] === texts[key])) return texts;
  // Kubernetes names the field of annotations without its last letter.
  const errors =
    field === 'labels' ? validateLabels(texts, 'metadata.labels') : validateAnnotations(texts, 'metadata.annotation');
  if (errors.length > 0) throw new InvalidConversion('metadata', aggregateText(errors));
  return texts;
}

/** Returns a text member; empty when it is absent or not a text. */
function textIn(object: JsonValue | object | undefined, name: string): string {
  const value: unknown =
    typeof object === 'object' && object !== null ? Object.getOwnPropertyDescriptor(object, name)?.value : undefined;
  return stringOrEmpty(value);
}
