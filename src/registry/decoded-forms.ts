/**
 * The decoded forms of records, in one server: parsed once while they are in use, and let go of within a bound.
 *
 * @module
 */
import type { StoredObject } from '../meta/object.js';
import type { HistoryBudget } from '../storage/history-budget.js';
import type { StorageRecord } from '../storage/storage.js';
import { parseRecord } from './record-codec.js';

/** Part of a budget that decoded forms may take. */
const BUDGET_SHARE = 1 / 4;

/**
 * Bytes of a decoded form for each character of its text: the object itself takes two to four, the field sets of its managers and
 * the intents that are known to change nothing the rest.
 */
const BYTES_PER_CHARACTER = 6;

/** Text that is kept decoded at most, however large the budget is: more is more than the collector of garbage likes to look through. */
const MOST_READ_TEXT = 8 * 1024 * 1024;
const MOST_WRITTEN_TEXT = 2 * 1024 * 1024;
const MOST_CONVERTED_TEXT = 2 * 1024 * 1024;
const MOST_TEXT = MOST_READ_TEXT + MOST_WRITTEN_TEXT + MOST_CONVERTED_TEXT;

/** What is shown of a record in another version than it is stored in. */
export interface ConvertedForm {
  readonly object: StoredObject;
  readonly text: string;
}

/** The converted forms of one version of a kind. */
export type ConvertedForms = WeakMap<StorageRecord, ConvertedForm>;

/** Remembers what holds a decoded form, and lets go of what was remembered longest ago where there is no room. */
class Ring<Entry> {
  readonly #entries: (Entry | undefined)[];
  readonly #maxText: number;
  readonly #textLength: (entry: Entry) => number;
  readonly #letGo: (entry: Entry) => void;
  #oldest = 0;
  #kept = 0;
  #keptText = 0;

  /**
   * @param maxEntries how many are kept
   * @param maxText how much text they may stand for
   */
  constructor(
    maxEntries: number,
    maxText: number,
    textLength: (entry: Entry) => number,
    letGo: (entry: Entry) => void,
  ) {
    this.#entries = new Array<Entry | undefined>(maxEntries).fill(undefined);
    this.#maxText = maxText;
    this.#textLength = textLength;
    this.#letGo = letGo;
  }

  keep(entry: Entry): void {
    const { length } = this.#entries;
    if (this.#kept === length) this.#forgetOldest();
    this.#entries[(this.#oldest + this.#kept) % length] = entry;
    this.#kept += 1;
    this.#keptText += this.#textLength(entry);
    while (this.#keptText > this.#maxText && this.#kept > 1) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const entry = this.#entries[this.#oldest];
    this.#entries[this.#oldest] = undefined;
    this.#oldest = (this.#oldest + 1) % this.#entries.length;
    this.#kept -= 1;
    if (entry === undefined) return;
    this.#keptText -= this.#textLength(entry);
    this.#letGo(entry);
  }
}

interface Conversion {
  readonly forms: ConvertedForms;
  readonly record: StorageRecord;
  readonly textLength: number;
}

const textLengthOf = ({ text }: StorageRecord): number => text.length;

function forgetDecoded(record: StorageRecord): void {
  record.decoded = undefined;
}

/** The decoded forms of one server, bounded by a part of its budget. */
export class DecodedForms {
  /** What was read lives long: work on some ten thousand small objects does not parse each again at every turn. */
  readonly #readLately: Ring<StorageRecord>;
  /**
   * What was just written is looked at by its writer and its watchers, and then mostly by nobody: it is let go of while it is
   * still cheap for the collector of garbage.
   */
  readonly #justWritten: Ring<StorageRecord>;
  readonly #converted: Ring<Conversion>;

  /** @param budget of which a part is taken at once, for good */
  constructor(budget: HistoryBudget) {
    const text = Math.floor(Math.min(MOST_TEXT, (budget.limitBytes * BUDGET_SHARE) / BYTES_PER_CHARACTER));
    budget.holdBytes(text * BYTES_PER_CHARACTER);
    const part = (most: number): number => (text * most) / MOST_TEXT;
    this.#readLately = new Ring(16_384, part(MOST_READ_TEXT), textLengthOf, forgetDecoded);
    this.#justWritten = new Ring(256, part(MOST_WRITTEN_TEXT), textLengthOf, forgetDecoded);
    this.#converted = new Ring<Conversion>(
      4096,
      part(MOST_CONVERTED_TEXT),
      ({ textLength }) => textLength,
      ({ forms, record }) => void forms.delete(record),
    );
  }

  /**
   * The object of a record. Whoever gets it must not change it: it is the same for everybody.
   *
   * @throws Error when the stored text is not an object: the store is damaged
   */
  read(record: StorageRecord): StoredObject {
    if (record.decoded !== undefined) return record.decoded as StoredObject;
    const parsed = parseRecord(record);
    record.decoded = parsed;
    this.#readLately.keep(record);
    return parsed;
  }

  /** Remembers that a record which was just written holds a decoded form. */
  keepWritten(record: StorageRecord): void {
    this.#justWritten.keep(record);
  }

  /** Keeps what is shown of a record in another version, for a while. */
  keepConverted(forms: ConvertedForms, record: StorageRecord, form: ConvertedForm): void {
    forms.set(record, form);
    this.#converted.keep({ forms, record, textLength: form.text.length });
  }
}
