import { ANNOTATION, cellText, extraValue, isAge, isExtra, LABEL, plainText, type Column, type Row } from './rows.js';

/** A column that is drawn. */
export interface TableColumn {
  /** Its name in addresses: that of the server in lower case, `namespace`, `label:KEY`, or `annotation:KEY`. */
  readonly key: string;
  readonly title: string;
  readonly help: string | undefined;
  /** In pixels; undefined for a share of the room. */
  readonly width: number | undefined;
  readonly text: (row: Row, now: number) => string;
  /** The text under the pointer over a cell. Default: that of the cell. */
  readonly hint?: (row: Row) => string | undefined;
}

/** A column that a user has chosen. */
export interface ChosenColumn {
  readonly key: string;
  readonly width: number | undefined;
}

/** The narrowest and the widest column, in pixels. */
export const NARROWEST = 40;
export const WIDEST = 1000;
/** The most columns of a table. */
const MOST = 50;

/** Returns the columns that an address names; none for those of the server. */
export const chosenColumns = (text: string): readonly ChosenColumn[] =>
  text
    .split(',')
    .filter((part) => part !== '')
    .slice(0, MOST)
    .map((part) => {
      const [name = '', width = ''] = part.split('~');
      const pixels = /^\d{1,4}$/.test(width) ? Math.min(WIDEST, Math.max(NARROWEST, Number(width))) : undefined;
      return { key: decoded(name), width: pixels };
    });

/** Returns the columns as an address names them. */
export const columnsText = (chosen: readonly ChosenColumn[]): string =>
  chosen.map(({ key, width }) => encoded(key) + (width === undefined ? '' : `~${width}`)).join(',');

const encoded = (key: string): string =>
  key.replace(/[%,~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Returns the keys of the annotations that are columns. */
export const annotationsIn = (chosen: readonly ChosenColumn[]): readonly string[] =>
  chosen.flatMap(({ key }) => (key.startsWith(ANNOTATION) ? [key.slice(ANNOTATION.length)] : []));

/** Returns when the object of a row was created, in the time of the user and in UTC. */
const creationText = ({ created }: Row): string | undefined =>
  created === undefined ? undefined : `${new Date(created).toLocaleString()} · ${created}`;

/** Returns all columns that the server has for a table, and that of the namespace. */
export function knownColumns(columns: readonly Column[], namespaced: boolean): TableColumn[] {
  const known = columns.map((column, index): TableColumn => ({
    key: column.name.toLowerCase(),
    title: column.name,
    help: column.description,
    width: undefined,
    text: (row, now) => cellText(row, column, index, now),
    ...(isAge(column) ? { hint: creationText } : {}),
  }));
  const namespace = { key: 'namespace', title: 'Namespace', help: undefined, width: undefined };
  if (namespaced) known.splice(1, 0, { ...namespace, text: (row) => row.namespace ?? '' });
  return known;
}

/** Returns the columns that are chosen before a user chooses: all but those for wide tables. */
function standardColumns(columns: readonly Column[], namespaced: boolean): readonly ChosenColumn[] {
  const wide = new Set(columns.filter(({ priority = 0 }) => priority > 0).map(({ name }) => name.toLowerCase()));
  return knownColumns(columns, namespaced)
    .filter(({ key }) => !wide.has(key))
    .map(({ key }) => ({ key, width: undefined }));
}

/** Returns the columns to draw. A chosen column that the server no longer has is left out. */
export function drawnColumns(
  columns: readonly Column[],
  namespaced: boolean,
  chosen: readonly ChosenColumn[],
): readonly TableColumn[] {
  const known = new Map(knownColumns(columns, namespaced).map((column) => [column.key, column]));
  const wanted = chosen.length === 0 ? standardColumns(columns, namespaced) : chosen;
  return wanted.flatMap(({ key, width }): TableColumn[] => {
    const column = known.get(key) ?? extraColumn(key);
    return column === undefined ? [] : [{ ...column, width }];
  });
}

/** Returns the column of a label or an annotation; undefined for another key. */
function extraColumn(key: string): TableColumn | undefined {
  if (!isExtra(key)) return undefined;
  const title = key.slice(key.indexOf(':') + 1);
  const help = key.startsWith(LABEL) ? `The label ${title}` : `The annotation ${title}`;
  return { key, title, help, width: undefined, text: (row) => plainText(extraValue(row, key)) };
}
