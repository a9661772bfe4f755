import { ApiError, errors, isAscii } from '../../foundation/index.js';
import type { StorageRecord } from '../../storage/index.js';
import type { ResourceInfo } from '../definition/resource-info.js';
import type { DecodedForms } from './decoded-forms.js';

/** The stored value of an object cannot be read: it is damaged, or protected with a key that is missing. */
export class UnreadableObjectError extends ApiError {
  /** @param error as the API answers it */
  constructor({ status, cause }: ApiError) {
    super(status, cause === undefined ? undefined : { cause });
  }
}

/** Returns the error for a stored object in a version that its definition no longer has. */
export const unknownVersion = (apiVersion: string): ApiError =>
  new UnreadableObjectError(
    new ApiError({ message: `request to convert CR from an invalid group/version: ${apiVersion}`, code: 500 }),
  );

const unreadable = (message: string, cause?: unknown): ApiError =>
  new UnreadableObjectError(errors.internal(message, cause === undefined ? undefined : { cause }));

/** Returns the prefix of the text of every object of a kind. */
export function typePrefix({ kind, apiVersion }: Pick<ResourceInfo, 'kind' | 'apiVersion'>): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

/** Returns the apiVersion of a text that this program writes; undefined for another text. */
export function apiVersionInText(text: string, kind: string): string | undefined {
  const start = `{"kind":${JSON.stringify(kind)},"apiVersion":"`;
  return text.startsWith(start) ? text.slice(start.length, text.indexOf('"', start.length)) : undefined;
}

/**
 * Returns whether a text is one that this program writes: it starts with the kind and version, and is ASCII. Lists send
 * such texts as they are. Another program may have written other characters, or another order.
 */
export const isOwnText = (text: string, prefix: string): boolean => text.startsWith(prefix) && isAscii(text);

/**
 * The kind and version in which the objects of a kind are stored. A store may hold objects of another kind or version,
 * written by a later version of the program or by another program. Their meaning is unknown, so they are neither shown
 * nor overwritten.
 */
export class StoredForm {
  readonly #accepts: (kind: string, apiVersion: string) => boolean;
  /** Undefined for a kind that is stored in several versions. */
  readonly #prefix: string | undefined;
  readonly #kind: string;
  readonly #decodedForms: DecodedForms;
  readonly #mark: ResourceInfo;

  /**
   * @param hub the kind as it is stored
   * @param mark the kind that is read; records that need no conversion are marked with it. Servers that share records
   *   also share the kinds, so that a mark of one is valid in the other
   */
  constructor(hub: ResourceInfo, decodedForms: DecodedForms, mark: ResourceInfo) {
    this.#decodedForms = decodedForms;
    this.#mark = mark;
    this.#kind = hub.kind;
    const { storedVersions } = hub.definition;
    this.#accepts =
      storedVersions === undefined
        ? (kind, apiVersion) => kind === hub.kind && apiVersion === hub.apiVersion
        : (kind, apiVersion) => storedVersions.accepts(kind, apiVersion);
    this.#prefix = storedVersions === undefined ? typePrefix(hub) : undefined;
  }

  /**
   * Returns whether the text of a record is one that this program writes. This recognizes nearly every record without
   * parsing.
   */
  hasKnownPrefix(record: StorageRecord): boolean {
    if (record.form === this.#mark) return true;
    if (this.#prefix === undefined || !isOwnText(record.text, this.#prefix)) return false;
    record.form = this.#mark;
    return true;
  }

  /** Returns whether a text of a kind with several versions is one that this program writes, without parsing it. */
  #isInKnownVersion(text: string): boolean {
    if (this.#prefix !== undefined) return false;
    const apiVersion = apiVersionInText(text, this.#kind);
    return apiVersion !== undefined && this.#accepts(this.#kind, apiVersion) && isAscii(text);
  }

  /** Marks a record whose text needs no conversion. */
  markCurrent(record: StorageRecord): void {
    record.form = this.#mark;
  }

  /** Returns the error for a record that cannot be read; undefined when it can be read. */
  problemOf(record: StorageRecord): ApiError | undefined {
    if (this.hasKnownPrefix(record) || this.#isInKnownVersion(record.text)) return undefined;
    let stored;
    try {
      stored = this.#decodedForms.read(record);
    } catch (error) {
      return unreadable(`the value stored under ${record.key} is not an object`, error);
    }
    if (this.#accepts(stored.kind, stored.apiVersion)) return undefined;
    if (this.#prefix === undefined && stored.kind === this.#kind) return unknownVersion(stored.apiVersion);
    return unreadable(
      `what is stored under ${record.key} cannot be read: no kind "${stored.kind}" is registered for version "${stored.apiVersion}"`,
    );
  }

  /** Checks that a record can be read. @throws ApiError 500 when it cannot */
  assertKnown(record: StorageRecord): void {
    const problem = this.problemOf(record);
    if (problem !== undefined) throw problem;
  }
}
