import { toError } from '../../foundation/index.js';
import { withProtection } from '../state/records/record.js';
import type { Revision, StorageRecord } from '../storage.js';

/** A version whose value cannot be read now. */
export interface SealedVersion {
  readonly key: string;
  readonly modRevision: Revision;
  readonly createRevision: Revision;
  /** Length of what is stored, which the record holds. */
  readonly length: number;
  /** Reads the value again. @throws Error while it cannot be read */
  readonly read: () => Pick<StorageRecord, 'text' | 'protection'>;
  /** Fetches what is needed to read it; undefined when nothing is missing. Rejects when it cannot be fetched. */
  readonly prepare: () => Promise<void> | undefined;
}

/**
 * A record of a version that could not be read when the feed or a list met it: it is encrypted with a key that this
 * process lacks, a key service does not answer, or another program has written it. It stands in the history and in the
 * copy of the store at its place, so that nothing is lost, and the versions of other keys go on.
 *
 * It holds what is stored, and is opened by the first reader after the key has come.
 */
export class SealedRecord implements StorageRecord {
  readonly key: string;
  readonly modRevision: Revision;
  readonly createRevision: Revision;
  readonly textLength: number;
  decoded: unknown;
  form: unknown;
  encodings: unknown;
  protection: string | undefined;
  #version: SealedVersion | undefined;
  #text = '';
  #error: Error;
  #isPreparing = false;

  /** @param error why it cannot be read now */
  constructor(version: SealedVersion, error: unknown) {
    this.key = version.key;
    this.modRevision = version.modRevision;
    this.createRevision = version.createRevision;
    this.textLength = version.length;
    this.decoded = undefined;
    this.form = undefined;
    this.encodings = undefined;
    this.protection = undefined;
    this.#version = version;
    this.#error = toError(error);
  }

  /** @throws Error while it cannot be read */
  get text(): string {
    const error = this.unreadable();
    if (error !== undefined) throw error;
    return this.#text;
  }

  unreadable(): Error | undefined {
    if (this.#version === undefined) return undefined;
    if (!this.#isPreparing && !this.#prepare(this.#version)) this.#open(this.#version);
    return this.#version === undefined ? undefined : this.#error;
  }

  /** Asks for what is missing. A later call finds it. Returns false when nothing is missing. */
  #prepare({ prepare }: SealedVersion): boolean {
    const preparing = prepare();
    if (preparing === undefined) return false;
    this.#isPreparing = true;
    void preparing.catch((error: unknown) => (this.#error = toError(error))).finally(() => (this.#isPreparing = false));
    return true;
  }

  #open({ read }: SealedVersion): void {
    try {
      const { text, protection } = read();
      this.#text = text;
      withProtection(this, protection);
      this.#version = undefined;
    } catch (error) {
      this.#error = toError(error);
    }
  }
}
