import { jsonText, type JsonObject } from '../../../foundation/index.js';
import { PathVisits } from '../../../machinery/index.js';
import { countedCell, type Cell, type Column, type NamedObject, type TimedCell } from '../../../registry/index.js';
import { encodeJson } from '../json/json.js';
import { metaApiVersion, type MetaGroup, type MetaVersion } from '../partial-object-metadata.js';

/** The separator of the rows of a Table in compact JSON. */
export const ROW_SEPARATOR = ',';

/** A cell that changes with the time, and the text after it. */
interface TimedPart {
  readonly cell: TimedCell;
  readonly after: string;
}

const NO_PARTS: readonly TimedPart[] = Object.freeze([]);

/**
 * A row in which some cells change with the time: the texts around these cells, and the cells.
 *
 * The members of the first cell, mostly the only one, are members of the row. Of thousands of rows, each object that has
 * to be read costs a wait for memory.
 */
export class TimedText {
  /** Begins with {@link ROW_SEPARATOR}. */
  readonly #begin: string;
  readonly #cell: TimedCell;
  readonly #after: string;
  readonly #others: readonly TimedPart[];

  /**
   * @param begin the text before the first cell; begins with {@link ROW_SEPARATOR}
   * @param first the first cell, and the text up to the next one
   */
  constructor(begin: string, first: TimedPart, others: readonly TimedPart[] = NO_PARTS) {
    this.#begin = begin;
    this.#cell = first.cell;
    this.#after = first.after;
    this.#others = others;
  }

  /** The texts before, between and after the cells. */
  get around(): readonly string[] {
    return [this.#begin, this.#after, ...this.#others.map(({ after }) => after)];
  }

  /**
   * Adds the row at the time of some cells to a list. Its texts exist already.
   *
   * @param add adds a text around the cells
   * @param addCell adds the text of a cell
   */
  addTo(add: (text: string) => void, addCell: (text: string) => void, cells: CellTexts, isFirst: boolean): void {
    add(isFirst ? this.#begin.slice(ROW_SEPARATOR.length) : this.#begin);
    addCell(cells.at(this.#cell));
    add(this.#after);
    for (let index = 0; index < this.#others.length; index += 1) {
      const { cell, after } = this.#others[index] as TimedPart;
      addCell(cells.at(cell));
      add(after);
    }
  }
}

/** Number of different cells of which the texts are shared. Ages have about two hundred. */
const MAX_SHARED = 1_000;

/** The texts of cells that change with the time, at one time. Equal cells have the same text in memory. */
export class CellTexts {
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
    const text = jsonText(cell);
    if (this.#texts.size < MAX_SHARED) this.#texts.set(cell, text);
    return text;
  }
}

/** Most values that the paths of a row visit, and most characters of its cells, while it is made in one piece. */
const MOST_VISITS = 4_000;
const MOST_CHARACTERS = 64 * 1024;

/**
 * Returns the row of an object in compact JSON, so that it can be used at any time. Undefined for a row that takes so long
 * that it should be made in steps.
 *
 * @param object the object of the row
 * @param included compact JSON of the object that the row includes
 */
export function rowText(
  object: NamedObject,
  included: string,
  columns: readonly Column[],
): string | TimedText | undefined {
  const visits = new PathVisits();
  let begin = '';
  const timed: { cell: TimedCell; after: string }[] = [];
  let text = '{"cells":[';
  const end = (): void => {
    const last = timed.at(-1);
    if (last === undefined) begin = ROW_SEPARATOR + text;
    else last.after = text;
    text = '';
  };
  for (const [index, column] of columns.entries()) {
    if (index > 0) text += ',';
    const cell = countedCell(column, object, visits);
    if (visits.count > MOST_VISITS || text.length > MOST_CHARACTERS) return undefined;
    if (typeof cell === 'function') {
      end();
      timed.push({ cell, after: '' });
    } else text += jsonText(cell);
  }
  text += `],"object":${included}}`;
  const [first, ...others] = timed;
  if (first === undefined) return text;
  end();
  return others.length === 0 ? new TimedText(begin, first) : new TimedText(begin, first, others);
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
