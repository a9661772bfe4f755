/**
 * A short list in a form of text of which all items are kept. It consists of the kept texts, so that only the transport
 * copies them.
 *
 * @module
 */
import { isAscii, type Steps } from '../../foundation/index.js';
import type { StorageRecord } from '../../storage/index.js';
import type { TimedText } from '../codec/index.js';
import { CellTexts, type TextListEncoder } from '../codec/index.js';
import { PART_BYTES, type TextParts } from '../requests/http.js';
import { KEPT_UNITS, type ItemList } from './item-list.js';
import { WHOLE_BYTES } from './long-body.js';

/** Number of items above which a list is not short, even if they are. */
const MAX_ITEMS = 16 * 1024;
/** Number of items that tell whether a list may be short, and how much longer than the limit it may seem after them. */
const SAMPLE_ITEMS = 16;
const SAMPLE_MARGIN = 2;
const SEPARATOR = ',';

/**
 * Assembles a list from kept texts.
 *
 * @returns undefined when an item is not kept or is not ASCII, or when the list is longer than the body that may be made
 *   before the response begins
 * @throws ApiError 429 when there is no memory for its references
 */
export function* keptTexts(encoder: TextListEncoder, list: ItemList): Steps<TextParts | undefined> {
  const { records, kept, timeless, work } = list;
  const count = records.length;
  if (count > MAX_ITEMS || !kept.isRequestedAgain) return undefined;
  work.reserve(count * PART_BYTES);
  const parts = new KeptParts(timeless, list.nowMs);
  for (let index = 0; index < count; index += 1) {
    const item = kept.find(records[index] as StorageRecord);
    if (item?.ascii !== true) return undefined;
    parts.add(item.encoding);
    const expected = index === SAMPLE_ITEMS ? (parts.length / SAMPLE_ITEMS / SAMPLE_MARGIN) * count : parts.length;
    if (expected > WHOLE_BYTES) return undefined;
    if (work.spend(KEPT_UNITS)) yield;
  }
  const { head, separator, tail } = encoder.surround(count);
  if (!parts.hasAsciiCells || !isAscii(head) || !isAscii(tail)) return undefined;
  return {
    ...{ head, parts: parts.texts, separator: timeless ? separator : '', tail, ascii: true },
    ...{ partsLength: parts.length, heldBytes: parts.length },
  };
}

/** Collects the texts of items. A row whose cells change is several texts, so that no new string is made. */
class KeptParts {
  readonly texts: string[] = [];
  length = 0;
  hasAsciiCells = true;
  readonly #timeless: boolean;
  readonly #cells: CellTexts;
  #lastCell = '';

  /** @param timeless whether the texts are joined with the separator of the list; each row brings its own otherwise */
  constructor(timeless: boolean, nowMs: number) {
    this.#timeless = timeless;
    this.#cells = new CellTexts(nowMs);
  }

  add(encoding: string | TimedText): void {
    const isFirst = this.texts.length === 0;
    if (typeof encoding !== 'string') {
      encoding.addTo(this.#text, this.#cell, this.#cells, isFirst);
      return;
    }
    if (!this.#timeless && !isFirst) this.#text(SEPARATOR);
    this.#text(encoding);
  }

  readonly #text = (text: string): void => {
    this.texts.push(text);
    this.length += text.length;
  };

  readonly #cell = (text: string): void => {
    if (text !== this.#lastCell) this.hasAsciiCells &&= isAscii(text);
    this.#lastCell = text;
    this.#text(text);
  };
}
