import {
  ApiError,
  equalJson,
  equalSteps,
  errors,
  isJsonObject,
  isLargeValue,
  parseApiVersion,
  runSteps,
  SharedWork,
  UNBOUNDED_WORK,
  whenReady,
  type ApiObject,
  type JsonObject,
  type Steps,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';
import {
  DecodeTypeError,
  pruneIntentSteps,
  readObject,
  readSteps,
  type StructuralSchema,
} from '../../machinery/index.js';
import { unknownVersion, type StoredVersions, type VersionedValue } from '../../registry/index.js';

/** Work of reading an object by its schema: the time is looked at after each. */
const UNITS_PER_OBJECT = 512;

/** Converts custom resources between versions. */
export interface Converter {
  /** Whether {@link convert} returns promises. */
  readonly asynchronous: boolean;
  /**
   * Converts objects to a version, in order. The objects have other versions.
   *
   * @param work the work of the request that needs them; undefined when they are not a part of a request
   * @throws ApiError when an object cannot be converted
   */
  convert(
    objects: readonly StoredObject[],
    apiVersion: string,
    work?: Work,
  ): readonly StoredObject[] | Promise<readonly StoredObject[]>;
}

/** The conversion strategy `None`: only the apiVersion changes. */
export const noConversion: Converter = {
  asynchronous: false,
  convert: (objects, apiVersion) => objects.map((object) => ({ ...object, apiVersion })),
};

/** The schema of whole objects of a version. */
export interface VersionSchema {
  /** It is compiled in one piece when {@link preparing} has not done so. */
  readonly current: StructuralSchema;
  /** Returns the steps that compile it; undefined when it is compiled. @param work as for `StoredVersions` */
  preparing(work: Work | undefined): Steps<void> | undefined;
}

/** The parts that {@link CustomVersions} works with. */
export interface CustomVersionsParts {
  readonly group: string;
  readonly kind: string;
  /** Schemas of whole objects, by version name. */
  readonly schemas: ReadonlyMap<string, VersionSchema>;
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

  preparing(apiVersions: readonly string[], work: Work | undefined): Steps<void> | undefined {
    const steps = apiVersions.flatMap((apiVersion) => this.#schemaOf(apiVersion)?.preparing(work) ?? []);
    return steps.length === 0 ? undefined : allOf(steps);
  }

  accepts(kind: string, apiVersion: string): boolean {
    return kind === this.#parts.kind && this.#schemaOf(apiVersion) !== undefined;
  }

  read(
    objects: readonly StoredObject[],
    apiVersion: string,
    work?: Work,
  ): readonly StoredObject[] | Promise<readonly StoredObject[]> {
    const shared = work ?? (this.asynchronous ? new SharedWork() : UNBOUNDED_WORK);
    return whenReady(runSteps(shared, this.#normalSteps(objects, shared), 'conversion'), (normal) => {
      const others = normal.filter((object) => object.apiVersion !== apiVersion);
      if (others.length === 0) return normal;
      return whenReady(this.#parts.converter.convert(others, apiVersion, work), (converted) =>
        runSteps(shared, this.#mergeSteps(normal, converted, apiVersion, shared), 'conversion'),
      );
    });
  }

  *#normalSteps(objects: readonly StoredObject[], work: Work): Steps<readonly StoredObject[]> {
    const normal: StoredObject[] = [];
    for (const object of objects) {
      normal.push(yield* this.#normalized(object, work));
      // One object that needs no conversion is read synchronously.
      if (normal.length < objects.length && work.spend(UNITS_PER_OBJECT)) yield;
    }
    return normal;
  }

  /** Puts the converted objects in the places of those of other versions. */
  *#mergeSteps(
    normal: readonly StoredObject[],
    converted: readonly StoredObject[],
    apiVersion: string,
    work: Work,
  ): Steps<readonly StoredObject[]> {
    const merged: StoredObject[] = [];
    let next = 0;
    for (const object of normal) {
      const other = object.apiVersion === apiVersion ? undefined : converted[next++];
      merged.push(other === undefined ? object : yield* this.#pruned(other, work));
      if (merged.length < normal.length && work.spend(UNITS_PER_OBJECT)) yield;
    }
    return merged;
  }

  write(object: ApiObject, work?: Work): ApiObject | Promise<ApiObject> {
    const { converter, storageVersion } = this.#parts;
    if (object.apiVersion === storageVersion) return object;
    const first = ([converted]: readonly StoredObject[]): ApiObject | Promise<ApiObject> => {
      if (converted === undefined) throw errors.internal('the conversion returned no object');
      const pruning = work ?? UNBOUNDED_WORK;
      return runSteps(pruning, this.#pruned(converted, pruning), 'conversion');
    };
    return whenReady(this.#prepared([storageVersion], work), () =>
      whenReady(converter.convert([object as StoredObject], storageVersion, work), first),
    );
  }

  /** Compiles the schemas of some versions in the slices of a request. */
  #prepared(apiVersions: readonly string[], work: Work | undefined): void | Promise<void> {
    const steps = work === undefined ? undefined : this.preparing(apiVersions, work);
    return steps === undefined || work === undefined ? undefined : runSteps(work, steps, 'definition');
  }

  convert(object: JsonObject, apiVersion: string, work?: Work): VersionedValue | Promise<VersionedValue> {
    const schema = this.#schemaOf(apiVersion);
    if (schema === undefined)
      throw new ApiError({ message: `request to convert CR to an invalid group/version: ${apiVersion}`, code: 500 });
    // The object before a create has nothing to convert.
    if (!isStoredObject(object)) return { object: { ...object, apiVersion }, schema: schema.current };
    const first = ([converted = object]: readonly StoredObject[]): VersionedValue => ({
      object: converted,
      schema: schema.current,
    });
    return whenReady(this.#prepared([apiVersion], work), () =>
      whenReady(this.#parts.converter.convert([object], apiVersion, work), first),
    );
  }

  #schemaOf(apiVersion: string): VersionSchema | undefined {
    const parsed = parseApiVersion(apiVersion);
    return parsed?.group === this.#parts.group ? this.#parts.schemas.get(parsed.version) : undefined;
  }

  /** Returns the object itself when it needs neither pruning nor defaults. */
  *#normalized(object: StoredObject, work: Work): Steps<StoredObject> {
    const schema = this.#schemaOf(object.apiVersion);
    if (schema === undefined) throw unknownVersion(object.apiVersion);
    try {
      const isLarge = work !== UNBOUNDED_WORK && isLargeValue(object, true);
      const { object: read } = isLarge
        ? yield* readSteps(object, schema.current, ORIGIN, work)
        : readObject(object, schema.current, ORIGIN);
      const isEqual = isLarge ? yield* equalSteps(work, read, object) : equalJson(read, object);
      return isEqual ? object : (read as JsonObject as StoredObject);
    } catch (error) {
      // A schema that has changed since may fill in more defaults than an object may have.
      if (!(error instanceof DecodeTypeError || error instanceof ApiError)) throw error;
      const rest = error instanceof DecodeTypeError ? withoutField(object, error.path) : undefined;
      if (rest !== undefined) return yield* this.#normalized(rest, work);
      throw errors.internal(`stored ${object.kind} ${object.metadata.name ?? ''}: ${error.message}`, { cause: error });
    }
  }

  *#pruned(object: StoredObject, work: Work): Steps<StoredObject> {
    const schema = this.#schemaOf(object.apiVersion);
    if (schema === undefined) throw unknownVersion(object.apiVersion);
    return (yield* pruneIntentSteps(work, object, schema.current)) as JsonObject as StoredObject;
  }
}

/** Stored objects are those of users. */
const ORIGIN = { origin: 'user' } as const;

function* allOf(all: readonly Steps<void>[]): Steps<void> {
  for (const steps of all) yield* steps;
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
