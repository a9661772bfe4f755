/**
 * A list as bytes, assembled from runs of items that were kept, as its client takes it. What is missing is encoded, and
 * kept in new runs.
 *
 * A run that the list contains as a whole is shared. Of a run of which some items were written or deleted, the rest is
 * copied to a new run, without encoding it again.
 *
 * @module
 */
import { isSteps, type MaybeSteps, type Work } from '../../foundation/index.js';
import type { StorageRecord } from '../../storage/index.js';
import type { CompressedChunks } from '../codec/compression.js';
import { CHUNK_BYTES } from '../requests/http.js';
import type { EncodedRun } from './encoded-run.js';
import { RunWriter, type Place } from './encoded-run.js';
import type { Kind } from './kept-encodings.js';
import type { KeptForm } from './kept-form.js';
import type { BodySource, BodySteps } from '../responses/long-body.js';

/** Number of items from which runs are worth their memory. */
export const MANY = 256;
/** A shorter run is joined with its neighbour, so that single writes leave no small runs behind. */
const SHORT_BYTES = CHUNK_BYTES / 4;
/** Maximum length of runs that are joined. */
const JOINED_BYTES = (CHUNK_BYTES * 3) / 2;

/** A list of items, of which runs are kept. */
export interface ItemRuns {
  readonly records: readonly StorageRecord[];
  /** The form in which the runs are kept. */
  readonly form: KeptForm;
  readonly kind: Kind;
  readonly work: Work;
  /** Returns the units of work of an item that is not kept. */
  unitsOf(record: StorageRecord): number;
  /** The texts before and after each item, in ASCII. */
  readonly before: string;
  readonly after: string;
  /** Encodes an item, or returns steps to it: as bytes, which are copied at once, or as the Latin-1 text of its bytes. */
  encode(record: StorageRecord): MaybeSteps<string | Uint8Array>;
}

/** Units of work to take an item of a run. */
const TAKEN_UNITS = 1;

/** A list that is assembled from runs, in chunks as it is taken. */
export class RunList implements BodySource {
  readonly compressed: CompressedChunks;
  readonly #list: ItemRuns;
  readonly #runs: CompressedRuns;
  #chunks: Uint8Array[] = [];
  readonly #writer = new RunWriter();
  /** The run of which items were copied last. It is dropped when the list is past it. */
  #copied: EncodedRun | undefined;

  constructor(list: ItemRuns) {
    this.#list = list;
    this.compressed = this.#runs = new CompressedRuns(list.form);
  }

  /** Adds the items. Yields when there is a chunk, and when the slice of the work is used up. */
  *steps(): BodySteps {
    const { records, form, work, unitsOf } = this.#list;
    let at = 0;
    while (at < records.length) {
      const from = at;
      const record = records[at] as StorageRecord;
      const place = form.place(record);
      if (place === undefined) {
        // Before the item: a long one may take a slice.
        if (work.spend(unitsOf(record)) || this.#chunks.length > 0) yield;
        const encoded = this.#list.encode(record);
        this.#add(record, isSteps(encoded) ? yield* encoded : encoded);
        at += 1;
      } else {
        at = this.#take(at, place);
        if (work.spend(TAKEN_UNITS * (at - from)) || this.#chunks.length > 0) yield;
      }
    }
  }

  take(): readonly Uint8Array[] {
    const chunks = this.#chunks;
    if (chunks.length > 0) this.#chunks = [];
    return chunks;
  }

  end(): readonly Uint8Array[] {
    this.#dropCopied();
    this.#flush();
    return this.take();
  }

  /** Adds an item that is not kept. */
  #add(record: StorageRecord, item: string | Uint8Array): void {
    const { before, after } = this.#list;
    const writer = this.#writer;
    const length = before.length + item.length + after.length;
    if (writer.length > 0 && writer.length + length > CHUNK_BYTES) this.#flush();
    writer.reserve(length);
    writer.latin1(before);
    if (typeof item === 'string') writer.latin1(item);
    else writer.bytes(item);
    writer.latin1(after);
    writer.end(record);
  }

  /** Adds the items from an index of the list that are in a run in this order. Returns the index after them. */
  #take(at: number, { run, index }: Place): number {
    const { records, form } = this.#list;
    let count = 1;
    while (at + count < records.length && form.isAt(records[at + count] as StorageRecord, run, index + count))
      count += 1;
    if (this.#copied !== run) this.#dropCopied();
    const isWhole = count === run.size;
    const isLast = at + count === records.length;
    // The other items of a run at an end of the list belong to other lists, so it stays as it is.
    const isCut = this.#copied !== run && ((at === 0 && index > 0) || (isLast && index + count < run.size));
    if (isCut || (isWhole && !this.#isJoined(run, isLast))) this.#share(run, index, count);
    else this.#copy(at, run, index, count);
    return at + count;
  }

  /** Returns whether a whole run is joined with the items before it, or with those that follow. */
  #isJoined(run: EncodedRun, isLast: boolean): boolean {
    const before = this.#writer.length;
    const { length } = run.bytes;
    if (before + length > JOINED_BYTES) return false;
    return before === 0 ? length < SHORT_BYTES && !isLast : before < SHORT_BYTES || length < SHORT_BYTES;
  }

  #share(run: EncodedRun, index: number, count: number): void {
    this.#flush();
    if (count < run.size) this.#chunks.push(run.items(index, index + count));
    else this.#addRun(run);
  }

  #copy(at: number, run: EncodedRun, index: number, count: number): void {
    const writer = this.#writer;
    if (writer.length + run.items(index, index + count).length > JOINED_BYTES) this.#flush();
    writer.copy(run, index, this.#list.records.slice(at, at + count));
    this.#copied = run;
    if (writer.length >= CHUNK_BYTES) this.#flush();
  }

  #dropCopied(): void {
    if (this.#copied !== undefined) this.#list.form.dropRun(this.#copied);
    this.#copied = undefined;
  }

  #flush(): void {
    if (this.#writer.length === 0) return;
    const { run, records } = this.#writer.take();
    this.#list.form.keepRun(this.#list.kind, records, run);
    this.#addRun(run);
  }

  #addRun(run: EncodedRun): void {
    this.#chunks.push(run.bytes);
    this.#runs.add(run);
  }
}

/** The compressed forms of the runs of a list. */
class CompressedRuns implements CompressedChunks {
  readonly #form: KeptForm;
  /** A list in a stream does not hold the runs that it is past. */
  readonly #runs = new WeakMap<Uint8Array, EncodedRun>();

  /** @param form what the runs are kept in */
  constructor(form: KeptForm) {
    this.#form = form;
  }

  add(run: EncodedRun): void {
    this.#runs.set(run.bytes, run);
  }

  find(chunk: Uint8Array): Uint8Array | undefined {
    return this.#runs.get(chunk)?.compressed;
  }

  keep(chunk: Uint8Array, compressed: Uint8Array): void {
    const run = this.#runs.get(chunk);
    if (run !== undefined) this.#form.keepCompressed(run, compressed);
  }
}
