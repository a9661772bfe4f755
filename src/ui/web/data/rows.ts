/** A column of a table, as the server defines it. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  /** Columns other than 0 are for wide tables. */
  readonly priority?: number;
}

/** A row of a table: what is shown of an object. */
export interface Row {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly created: string | undefined;
  readonly cells: readonly unknown[];
  readonly labels?: ReadonlyMap<string, string> | undefined;
  /** Those that are columns. */
  readonly annotations?: ReadonlyMap<string, string> | undefined;
  /** The time of the last change that the table has seen; undefined for a row of the first list. */
  readonly changedAt: number | undefined;
  /** The time at which the table saw the object deleted. */
  readonly goneAt: number | undefined;
}

/** A row as the server sends it. */
export interface SentRow {
  readonly cells: readonly unknown[];
  readonly object?: {
    readonly metadata?: {
      readonly uid?: string;
      readonly name?: string;
      readonly namespace?: string;
      readonly creationTimestamp?: string;
      readonly resourceVersion?: string;
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
    };
  };
}

/** Returns the row of an object; what is not shown is not kept. @param kept the annotations to keep */
export function rowOf({ cells, object }: SentRow, changedAt: number | undefined, kept: readonly string[] = []): Row {
  const { uid, name = '', namespace, creationTimestamp, labels = {}, annotations = {} } = object?.metadata ?? {};
  const shown = Object.entries(annotations).filter(([key]) => kept.includes(key));
  return {
    uid: uid ?? `${namespace}/${name}`,
    name,
    namespace,
    created: creationTimestamp,
    cells,
    labels: mapOf(Object.entries(labels)),
    annotations: mapOf(shown),
    changedAt,
    goneAt: undefined,
  };
}

/** Returns a map; undefined for an empty one. */
const mapOf = (entries: readonly (readonly [string, string])[]): ReadonlyMap<string, string> | undefined =>
  entries.length === 0 ? undefined : new Map(entries);

/** Whether a column has the age of objects, which goes on without news of the server. */
export const isAge = ({ name }: Column): boolean => name.toLowerCase() === 'age';

/** Returns the text of a cell. */
export function cellText(row: Row, column: Column, index: number, now: number): string {
  if (isAge(column) && row.created !== undefined) return ageText(now - Date.parse(row.created));
  return plainText(row.cells[index]);
}

/** Returns the text of a value. */
export function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

/** The beginnings of the keys of columns with labels and annotations. */
export const LABEL = 'label:';
export const ANNOTATION = 'annotation:';

/** Whether the key of a column is that of a label or an annotation. */
export const isExtra = (key: string): boolean => key.startsWith(LABEL) || key.startsWith(ANNOTATION);

/** Returns the value of a label or an annotation of a row; undefined where it has none. */
export function extraValue({ labels, annotations }: Row, key: string): string | undefined {
  return key.startsWith(LABEL) ? labels?.get(key.slice(LABEL.length)) : annotations?.get(key.slice(ANNOTATION.length));
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

/** Returns a time span in its largest unit: `5s`, `3m`, `2h`, `9d`. */
export function ageText(ms: number): string {
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? ['s', 1000];
  return `${Math.max(0, Math.floor(ms / size))}${unit}`;
}

/** The filter and order of the rows that are loaded. */
export interface RowView {
  readonly columns: readonly Column[];
  readonly namespaces: readonly string[];
  readonly text: string;
  /** See `TableQuery.sort`. */
  readonly sort: string;
  /** The keys of the labels and annotations that are columns: the text may be in them, too. */
  readonly extras?: readonly string[] | undefined;
}

/** Returns whether a row passes the filters. */
export function passes(row: Row, { namespaces, text, extras = [] }: RowView): boolean {
  if (namespaces.length > 0 && !namespaces.includes(row.namespace ?? '')) return false;
  const sought = text.trim().toLowerCase();
  if (sought === '') return true;
  const has = (value: unknown): boolean => plainText(value).toLowerCase().includes(sought);
  return has(row.name) || has(row.namespace) || row.cells.some(has) || extras.some((key) => has(extraValue(row, key)));
}
