import type { ApiObject, JsonObject, Steps, StoredObject, Work } from '../../foundation/index.js';
import type { StructuralSchema } from '../../machinery/index.js';

/** An object in a version, with the schema of whole objects of that version. */
export interface VersionedValue {
  readonly object: JsonObject;
  readonly schema: StructuralSchema;
}

/**
 * The versions of one kind whose objects may be stored in any of them. All versions of the kind share one value.
 *
 * A store of such a kind converts each record on first use and caches the result. When the conversion has to wait (a
 * webhook), the store converts whole pages before anything reads them.
 */
export interface StoredVersions {
  /** The apiVersion of new writes. */
  readonly storageVersion: string;
  /** Whether {@link read} and {@link write} may return promises. */
  readonly asynchronous: boolean;
  /**
   * Returns the steps that compile the schemas of some versions: what {@link read} and {@link write} would do in one
   * piece. Unknown versions are ignored.
   *
   * @param work counts the steps; undefined to ask only whether there are any
   * @returns undefined when there is nothing to compile
   */
  preparing(apiVersions: readonly string[], work: Work | undefined): Steps<void> | undefined;
  /** Returns whether stored objects of a kind and apiVersion can be read. */
  accepts(kind: string, apiVersion: string): boolean;
  /**
   * Converts stored objects to a version, in order. The results have that apiVersion. An object that needs no change is
   * returned itself.
   *
   * @param work the work of the request that needs the objects; undefined when they are not a part of a request
   * @throws ApiError when an object cannot be converted
   */
  read(
    objects: readonly StoredObject[],
    apiVersion: string,
    work?: Work,
  ): readonly StoredObject[] | Promise<readonly StoredObject[]>;
  /**
   * Converts an object of any version to the storage version. Returns the object itself when it has that version.
   *
   * @throws ApiError when the object cannot be converted
   */
  write(object: ApiObject, work?: Work): ApiObject | Promise<ApiObject>;
  /**
   * Converts an object to another version as field ownership compares it: nothing is pruned, and no defaults are set.
   * The object may have any part of the fields of its kind.
   *
   * @throws ApiError when the version does not exist, or the object cannot be converted
   */
  convert(object: JsonObject, apiVersion: string, work?: Work): VersionedValue | Promise<VersionedValue>;
}
