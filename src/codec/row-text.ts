import type { JsonObject } from '../meta/json.js';
import type { NamedObject } from '../registry/object-types.js';
import type { Column, TimedCell } from '../registry/definition.js';
import { encodeJson } from './json.js';
import { metaApiVersion, type MetaGroup, type MetaVersion } from './partial-object-metadata.js';

/** A text in which some cells change with the time: the texts around these cells, and the cells. */
export class TimedText {
  /** The texts before, between and after the cells. */
  readonly around: readonly string[];
  readonly #cells: readonly TimedCell[];

  /** @param around one text more than there are cells */
  constructor(around: readonly string[], cells: readonly TimedCell[]) {
    this.around = around;
    this.#cells = cells;
  }

  /** Returns the text at a time, in milliseconds since the epoch. */
  at(nowMs: number): string {
    let text = this.around[0] ?? '';
    for (let index = 0; index < this.#cells.length; index += 1)
      text += JSON.stringify(this.#cells[index]?.(nowMs)) + (this.around[index + 1] ?? '');
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
  return timed.length === 0 ? text : new TimedText([...around, text], timed);
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
