import { ApiError, errors } from '../meta/api-error.js';
import { equalJson, isJsonObject, type JsonObject } from '../meta/json.js';
import { parseApiVersion, type ApiObject, type StoredObject } from '../meta/object.js';
import { unknownVersion } from '../registry/stored-form.js';
import type { StoredVersions, VersionedValue } from '../registry/stored-versions.js';
import { DecodeTypeError, pruneIntent, readObject, type StructuralSchema } from '../schema/index.js';

/** Converts custom resources between versions. */
export interface Converter {
  /** Whether {@link convert} returns promises. */
  readonly asynchronous: boolean;
  /**
   * Converts objects to a version, in order. The objects have other versions.
   *
   * @throws ApiError when an object cannot be converted
   */
  convert(
    objects: readonly StoredObject[],
    apiVersion: string,
  ): readonly StoredObject[] | Promise<readonly StoredObject[]>;
}

/** The conversion strategy `None`: only the apiVersion changes. */
export const noConversion: Converter = {
  asynchronous: false,
  convert: (objects, apiVersion) => objects.map((object) => ({ ...object, apiVersion })),
};

/** What {@link CustomVersions} needs. */
export interface CustomVersionsParts {
  readonly group: string;
  readonly kind: string;
  /** Schemas of whole objects, by version name. */
  readonly schemas: ReadonlyMap<string, () => StructuralSchema>;
  /** The apiVersion of new writes. */
  readonly storageVersion: string;
  readonly converter: Converter;
}

/**
 * The stored versions of a custom kind. A stored object is pruned and gets its defaults by the schema of its own
 * version, is converted, and is pruned by the schema of the requested version (Kubernetes: `schemaCoercingDecoder`,
 * `schemaCoercingConverter`).
 */
export class CustomVersions implements StoredVersions {
  readonly storageVersion: string;
  readonly #parts: CustomVersionsParts;

  constructor(parts: CustomVersionsParts) {
    this.#parts = parts;
    this.storageVersion = parts.storageVersion;
  }

  /** With one version nothing is ever converted. */
  get asynchronous(): boolean {
    return this.#parts.converter.asynchronous && this.#parts.schemas.size > 1;
  }

  accepts(kind: string, apiVersion: string): boolean {
    return kind === this.#parts.kind && this.#schemaOf(apiVersion) !== undefined;
  }

  read(
    objects: readonly StoredObject[],
    apiVersion: string,
  ): readonly StoredObject[] | Promise<readonly StoredObject[]> {
    const normal = objects.map((object) => this.#normalized(object));
    const others = normal.filter((object) => object.apiVersion !== apiVersion);
    if (others.length === 0) return normal;
    const merge = (converted: readonly StoredObject[]): StoredObject[] => {
      const results = converted.map((object) => this.#pruned(object)).values();
      return normal.map((object) => (object.apiVersion === apiVersion ? object : (results.next().value ?? object)));
    };
    const converted = this.#parts.converter.convert(others, apiVersion);
    return converted instanceof Promise ? converted.then(merge) : merge(converted);
  }

  write(object: ApiObject): ApiObject | Promise<ApiObject> {
    const { converter, storageVersion } = this.#parts;
    if (object.apiVersion === storageVersion) return object;
    const first = ([converted]: readonly StoredObject[]): ApiObject => {
      if (converted === undefined) throw errors.internal('the conversion returned no object');
      return this.#pruned(converted);
    };
    const converted = converter.convert([object as StoredObject], storageVersion);
    return converted instanceof Promise ? converted.then(first) : first(converted);
  }

  convert(object: JsonObject, apiVersion: string): VersionedValue | Promise<VersionedValue> {
    const schema = this.#schemaOf(apiVersion);
    if (schema === undefined)
      throw new ApiError({ message: `request to convert CR to an invalid group/version: ${apiVersion}`, code: 500 });
    // The object before a create has nothing to convert.
    if (!isStoredObject(object)) return { object: { ...object, apiVersion }, schema: schema() };
    const first = ([converted = object]: readonly StoredObject[]): VersionedValue => ({
      object: converted,
      schema: schema(),
    });
    const converted = this.#parts.converter.convert([object], apiVersion);
    return converted instanceof Promise ? converted.then(first) : first(converted);
  }

  #schemaOf(apiVersion: string): (() => StructuralSchema) | undefined {
    const parsed = parseApiVersion(apiVersion);
    return parsed?.group === this.#parts.group ? this.#parts.schemas.get(parsed.version) : undefined;
  }

  /** Returns the object itself when it needs neither pruning nor defaults. */
  #normalized(object: StoredObject): StoredObject {
    const schema = this.#schemaOf(object.apiVersion);
    if (schema === undefined) throw unknownVersion(object.apiVersion);
    try {
      const { object: read } = readObject(object, schema(), { origin: 'user' });
      return equalJson(read, object) ? object : (read as JsonObject as StoredObject);
    } catch (error) {
      // A schema that has changed since may fill in more defaults than an object may have.
      if (!(error instanceof DecodeTypeError || error instanceof ApiError)) throw error;
      const rest = error instanceof DecodeTypeError ? withoutField(object, error.path) : undefined;
      if (rest !== undefined) return this.#normalized(rest);
      throw errors.internal(`stored ${object.kind} ${object.metadata.name ?? ''}: ${error.message}`, { cause: error });
    }
  }

  #pruned(object: StoredObject): StoredObject {
    const schema = this.#schemaOf(object.apiVersion);
    if (schema === undefined) throw unknownVersion(object.apiVersion);
    return pruneIntent(object, schema(), 'user') as JsonObject as StoredObject;
  }
}

/** Returns whether an object has more than its kind and apiVersion. */
const isStoredObject = (object: JsonObject): object is JsonObject & StoredObject =>
  isJsonObject(object['metadata']) && Object.keys(object['metadata']).length > 0;
/**
 * Returns a stored object without the field of its metadata that a path leads into; undefined for another path.
 * Kubernetes drops malformed metadata of stored objects, so that one of them does not hide the others.
 */
function withoutField(object: StoredObject, path: string): StoredObject | undefined {
  const field = /^metadata\.(\w+)/.exec(path)?.[1];
  if (field === undefined) return undefined;
  const kept = Object.entries(object.metadata).filter(([name]) => name !== field);
  return { ...object, metadata: Object.fromEntries(kept) };
}
