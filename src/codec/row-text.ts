import { isAscii } from '../encoding/utf8.js';
import type { JsonObject } from '../meta/json.js';
import type { NamedObject } from '../registry/object-types.js';
import type { Cell, Column, TimedCell } from '../registry/definition.js';
import { encodeJson } from './json.js';
import { metaApiVersion, type MetaGroup, type MetaVersion } from './partial-object-metadata.js';

/** What separates the rows of a Table in compact JSON. */
export const ROW_SEPARATOR = ',';

/** A row in which some cells change with the time: the texts around these cells, and the cells. */
export class TimedText {
  /** The texts before, between and after the cells. The first one begins with {@link ROW_SEPARATOR}. */
  readonly around: readonly string[];
  readonly #cells: readonly TimedCell[];

  /** @param around one text more than there are cells */
  constructor(around: readonly string[], cells: readonly TimedCell[]) {
    this.around = around;
    this.#cells = cells;
  }

  /**
   * Adds the row at the time of some cells to the parts of a list. Its parts exist already, and are not copied.
   *
   * @returns the length that is added
   */
  addTo(parts: string[], cells: CellTexts, isFirst: boolean): number {
    const [begin = ''] = this.around;
    const first = isFirst ? begin.slice(ROW_SEPARATOR.length) : begin;
    parts.push(first);
    let { length } = first;
    for (let index = 0; index < this.#cells.length; index += 1) {
      const cell = cells.at(this.#cells[index] as TimedCell);
      const after = this.around[index + 1] ?? '';
      parts.push(cell, after);
      length += cell.length + after.length;
    }
    return length;
  }
}

/** Number of different cells of which the texts are shared. Ages have about two hundred. */
const MAX_SHARED = 1_000;

/** The texts of cells that change with the time, at one time. Equal cells have the same text in memory. */
export class CellTexts {
  /** Whether all texts so far are ASCII. */
  ascii = true;
  readonly #nowMs: number;
  readonly #texts = new Map<Cell, string>();

  /** @param nowMs the time, in milliseconds since the epoch */
  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  /** Returns compact JSON of a cell. */
  at(timed: TimedCell): string {
    const cell = timed(this.#nowMs);
    const known = this.#texts.get(cell);
    if (known !== undefined) return known;
    const text = JSON.stringify(cell);
    this.ascii &&= isAscii(text);
    if (this.#texts.size < MAX_SHARED) this.#texts.set(cell, text);
    return text;
  }
}

/**
 * Returns the row of an object in compact JSON, so that it can be used at any time.
 *
 * @param object the object of the row
 * @param included compact JSON of the object that the row includes
 * @returns undefined when a column does not say how its cells depend on the time
 */
export function lastingRow(
  object: NamedObject,
  included: string,
  columns: readonly Column[],
): string | TimedText | undefined {
  const around: string[] = [];
  const timed: TimedCell[] = [];
  let text = '{"cells":[';
  for (const [index, column] of columns.entries()) {
    if (column.lasting === undefined) return undefined;
    if (index > 0) text += ',';
    const cell = column.lasting(object);
    if (typeof cell === 'function') {
      around.push(text);
      timed.push(cell);
      text = '';
    } else text += JSON.stringify(cell);
  }
  text += `],"object":${included}}`;
  if (timed.length === 0) return text;
  const [first = '', ...others] = around;
  // Copies, because an array that grew has room for 16 more.
  return new TimedText([ROW_SEPARATOR + first, ...others, text], [...timed]);
}

/**
 * Returns the metadata-only form of an object in compact JSON.
 *
 * @param metadata compact JSON of its metadata
 */
export function partialObjectMetadataText(metadata: string, dialect: MetaGroup, version: MetaVersion): string {
  const type: JsonObject = { kind: 'PartialObjectMetadata', apiVersion: metaApiVersion(dialect, version) };
  return `${encodeJson(type).slice(0, -1)},"metadata":${metadata}}`;
}
