import { errors, type ApiError } from '../meta/api-error.js';
import type { StorageRecord } from '../storage/storage.js';
import type { DecodedForms } from './decoded-forms.js';
import type { ResourceInfo } from './resource-info.js';

/** How the text of every object of a kind begins. */
export function typePrefix({ kind, apiVersion }: Pick<ResourceInfo, 'kind' | 'apiVersion'>): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

/**
 * The kind and version in which the objects of a kind are stored. A store may hold others in their place, which a later version
 * of the program or another one has put there: nothing is known of what they mean, so they are not shown, and never written over.
 */
export class StoredForm {
  readonly #kind: string;
  readonly #apiVersion: string;
  readonly #prefix: string;
  readonly #decodedForms: DecodedForms;

  /** @param hub the kind as it is stored */
  constructor(hub: ResourceInfo, decodedForms: DecodedForms) {
    this.#decodedForms = decodedForms;
    this.#kind = hub.kind;
    this.#apiVersion = hub.apiVersion;
    this.#prefix = typePrefix(hub);
  }

  /** Whether a record's text begins as this program writes it, by which nearly every record is known without a look inside. */
  begins(record: StorageRecord): boolean {
    if (record.form === this) return true;
    if (!record.text.startsWith(this.#prefix)) return false;
    record.form = this;
    return true;
  }

  /** What a request for a record is to be answered that cannot be read; undefined for one that can. */
  problemOf(record: StorageRecord): ApiError | undefined {
    if (this.begins(record)) return undefined;
    let stored;
    try {
      stored = this.#decodedForms.read(record);
    } catch (error) {
      return errors.internal(`what is stored under ${record.key} is not an object`, { cause: error });
    }
    if (stored.kind === this.#kind && stored.apiVersion === this.#apiVersion) return undefined;
    return errors.internal(
      `what is stored under ${record.key} cannot be read: no kind "${stored.kind}" is registered for version "${stored.apiVersion}"`,
    );
  }

  /** @throws ApiError 500 for a record that cannot be read */
  assertKnown(record: StorageRecord): void {
    const problem = this.problemOf(record);
    if (problem !== undefined) throw problem;
  }
}
