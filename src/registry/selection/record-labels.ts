import type { Labels } from '../../machinery/index.js';
import type { StorageRecord } from '../../storage/index.js';
import { labelsInText } from './label-scan.js';

/**
 * Reads labels from the texts of records. It remembers the last two records: the versions of an event, which all
 * watchers with a selector ask about.
 */
export class RecordLabels {
  #last: StorageRecord | undefined;
  #lastLabels: Labels | undefined;
  #other: StorageRecord | undefined;
  #otherLabels: Labels | undefined;

  /** Returns the labels of a record; undefined when its text does not show them. */
  read(record: StorageRecord): Labels | undefined {
    if (record === this.#last) return this.#lastLabels;
    if (record === this.#other) return this.#otherLabels;
    const labels = labelsInText(record.text);
    this.#other = this.#last;
    this.#otherLabels = this.#lastLabels;
    this.#last = record;
    this.#lastLabels = labels;
    return labels;
  }
}
