import type { ValuePath } from '../data/check-schema.js';
import type { Schema } from '../data/schema.js';

/** Values that the fields of a form share. */
export interface FormContext {
  /** All schemas that references lead to. */
  readonly all: Schema;
  /** The keys of places that are not shown. */
  readonly hidden: ReadonlySet<string>;
  /** Objections of the schema, by the keys of places. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
  /** The key of the field that was just added, which takes the focus. */
  readonly added: { current: string | undefined };
  /** Sets the value at a place; undefined removes it. */
  readonly set: (path: ValuePath, value: unknown) => void;
}

/** Returns the key of a place. */
export const keyOf = (path: ValuePath): string => JSON.stringify(path);

/** Returns a part of the id of an element for a place: without spaces, which divide lists of ids. */
export const idOf = (path: ValuePath): string => encodeURIComponent(path.join('.'));

/** A field of a form. */
export interface FieldProps {
  readonly form: FormContext;
  readonly path: ValuePath;
  readonly title: string;
  /** Its schema, without references; undefined for a field that the schema does not have. */
  readonly schema: Schema | undefined;
  readonly value: unknown;
  /** Whether it must be there. */
  readonly required: boolean;
}
