import type { FieldPath } from './field-path.js';
import { goQuote, goStringSlice } from './go-text.js';

/** What is wrong with a field, and the reason a Status cause gives for it. */
export const fieldErrorTypes = {
  NotFound: { reason: 'FieldValueNotFound', text: 'Not found' },
  Required: { reason: 'FieldValueRequired', text: 'Required value' },
  Duplicate: { reason: 'FieldValueDuplicate', text: 'Duplicate value' },
  Invalid: { reason: 'FieldValueInvalid', text: 'Invalid value' },
  NotSupported: { reason: 'FieldValueNotSupported', text: 'Unsupported value' },
  Forbidden: { reason: 'FieldValueForbidden', text: 'Forbidden' },
  TooLong: { reason: 'FieldValueTooLong', text: 'Too long' },
  TooMany: { reason: 'FieldValueTooMany', text: 'Too many' },
  TypeInvalid: { reason: 'FieldValueTypeInvalid', text: 'Invalid value' },
  Internal: { reason: 'InternalError', text: 'Internal error' },
} as const;

/** Name of a field error type. */
export type FieldErrorType = keyof typeof fieldErrorTypes;

/** Types whose text never shows the value. */
const VALUELESS: ReadonlySet<FieldErrorType> = new Set(['Required', 'Forbidden', 'TooLong', 'Internal']);

/**
 * One thing that is wrong with one field. Its text is the production system's: field, kind of error, value, detail.
 */
export class FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly value: unknown;
  readonly detail: string;

  constructor(type: FieldErrorType, field: FieldPath | string, value: unknown, detail: string) {
    this.type = type;
    this.field = String(field);
    this.value = value;
    this.detail = detail;
  }

  /** Text without the field, as it stands in a cause's `message`. */
  get body(): string {
    const { text } = fieldErrorTypes[this.type];
    const head = VALUELESS.has(this.type) ? text : `${text}: ${formatValue(this.value)}`;
    return this.detail === '' ? head : `${head}: ${this.detail}`;
  }

  /** Text with the field, as it stands in a Status' `message`. */
  toString(): string {
    return this.field === '' ? this.body : `${this.field}: ${this.body}`;
  }
}

/** A value that an error shows in these very words, without quotes: a time, for one. */
export class ShownAs {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function formatValue(value: unknown): string {
  // Kubernetes takes this word for the value, and quotes it as any text.
  if (value === null || value === undefined) return '"null"';
  if (typeof value === 'string') return goQuote(value);
  if (value instanceof ShownAs) return value.text;
  if (isStringArray(value)) return goStringSlice(value);
  if (typeof value === 'object') return JSON.stringify(value);
  // The production system prints its unsigned integers so.
  if (typeof value === 'bigint') return `0x${value.toString(16)}`;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeof value;
}

function isStringArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** A field that must be there is not. */
export const required = (field: FieldPath | string, detail = ''): FieldError =>
  new FieldError('Required', field, '', detail);
/** A value that is wrong in itself. */
export const invalid = (field: FieldPath | string, value: unknown, detail: string): FieldError =>
  new FieldError('Invalid', field, value, detail);
/** A value of the wrong JSON type. */
export const typeInvalid = (field: FieldPath | string, value: unknown, detail: string): FieldError =>
  new FieldError('TypeInvalid', field, value, detail);
/** A value that occurs twice where it may occur once. */
export const duplicate = (field: FieldPath | string, value: unknown): FieldError =>
  new FieldError('Duplicate', field, value, '');
/** A value that may not be set, whatever it is. */
export const forbidden = (field: FieldPath | string, detail: string): FieldError =>
  new FieldError('Forbidden', field, '', detail);
/** A reference to something that is not there. */
export const notFoundField = (field: FieldPath | string, value: unknown): FieldError =>
  new FieldError('NotFound', field, value, '');
/** A value outside of a closed list. The list is shown in the order given. */
export const notSupported = (field: FieldPath | string, value: unknown, supported: readonly string[]): FieldError =>
  new FieldError(
    'NotSupported',
    field,
    value,
    supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`,
  );
/** A string or byte sequence that is too long. */
export const tooLong = (field: FieldPath | string, value: unknown, maxBytes: number): FieldError =>
  new FieldError('TooLong', field, value, maxBytes >= 0 ? `must have at most ${maxBytes} bytes` : 'value is too long');
/** A list with too many items. */
export const tooMany = (field: FieldPath | string, actual: number, max: number): FieldError =>
  new FieldError('TooMany', field, actual, max >= 0 ? `must have at most ${max} items` : 'has too many items');
/** Something that should have worked did not. */
export const internalField = (field: FieldPath | string, detail: string): FieldError =>
  new FieldError('Internal', field, '', detail);

/** Several errors as one text: one stands alone, several in brackets; the same text is said once. */
export const aggregateText = (errors: readonly FieldError[]): string => listedTexts([...new Set(errors.map(String))]);

/** Texts as the production system lists them: one stands alone, several in brackets. */
export const listedTexts = (texts: readonly string[]): string =>
  texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`;

/** Characters that the errors of one answer may have together. */
const MAX_SAID = 4 * 1024 * 1024;

/**
 * The errors with their texts, as far as an answer has room for them. Many errors may each show the same long value: a list
 * of a thousand owners that all are controllers would be shown a thousand times.
 *
 * @returns the first errors, at least one of those given
 */
export function saidErrors(
  errors: readonly FieldError[],
): readonly { readonly type: FieldErrorType; readonly field: string; readonly body: string }[] {
  const said: { readonly type: FieldErrorType; readonly field: string; readonly body: string }[] = [];
  let length = 0;
  for (const error of errors) {
    const { type, field, body } = error;
    length += body.length;
    if (length > MAX_SAID && said.length > 0) break;
    said.push({ type, field, body });
  }
  return said;
}
