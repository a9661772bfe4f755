import { goQuote, goStringSlice, goSyntax } from '../go/go-text.js';
import { goNumber } from '../go/go-values.js';
import { grouped } from '../go/grouped-number.js';
import { UnstructuredValue } from '../go/unstructured-value.js';
import { jsonText } from '../json/json-text.js';
import { MAX_ERROR_CHARACTERS, MAX_ERRORS, omittedErrors } from './field-error-list.js';
import type { FieldPath } from './field-path.js';
import { cutText, MAX_SHOWN_CHARACTERS, quotedText, shownText } from './shown-text.js';
import { isLongValue, LONG_VALUE } from './shown-value.js';

/** The types of field errors, with the reason of their Status cause. */
export const fieldErrorTypes: Readonly<Record<FieldErrorType, { readonly reason: string; readonly text: string }>> = {
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
};

/** Name of a field error type. */
export type FieldErrorType =
  | 'NotFound'
  | 'Required'
  | 'Duplicate'
  | 'Invalid'
  | 'NotSupported'
  | 'Forbidden'
  | 'TooLong'
  | 'TooMany'
  | 'TypeInvalid'
  | 'Internal';

/** Types whose text never shows the value. */
const VALUELESS: ReadonlySet<FieldErrorType> = new Set(['Required', 'Forbidden', 'TooLong', 'Internal']);

/**
 * One error of one field. `toString` returns it in the format of Kubernetes: field, type of error, value, detail.
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

  /** The message without the field: the `message` of a cause. */
  get body(): string {
    const { text } = fieldErrorTypes[this.type];
    const valueless = VALUELESS.has(this.type) || this.value === OMITTED_VALUE;
    const head = valueless ? text : `${text}: ${formatValue(this.value)}`;
    const { detail } = this;
    return detail === '' ? head : `${head}: ${detail.length > MAX_DETAIL_CHARACTERS ? cutText(detail) : detail}`;
  }

  /** Returns the message with the field: a part of the `message` of a Status. */
  toString(): string {
    return this.field === '' ? this.body : `${this.field}: ${this.body}`;
  }
}

/** A value that an error shows verbatim, without quotes, such as a time. */
export class VerbatimValue {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Returns a value that an error shows in a form of its own: of a long list or object only that it is long. The text of a
 * long one would be made in one piece.
 *
 * @param write writes a value that is not long
 */
export const verbatim = (value: unknown, write: () => string): VerbatimValue =>
  new VerbatimValue(isLongValue(value) ? LONG_VALUE : write());

/** A value that an error does not show. */
export const OMITTED_VALUE: unique symbol = Symbol('omitted value');

function formatValue(value: unknown): string {
  // Kubernetes replaces the value with this word, and quotes it as any text.
  if (value === null || value === undefined) return '"null"';
  if (typeof value === 'string') return quotedText(value);
  if (value instanceof VerbatimValue) return shownText(value.text);
  if (isLongValue(value)) return LONG_VALUE;
  if (value instanceof UnstructuredValue) return goSyntax(value.value);
  if (isStringArray(value)) return goStringSlice(value);
  if (typeof value === 'object') return jsonText(value);
  if (typeof value === 'number') return goNumber(value);
  return typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : typeof value;
}

/** Most characters of a detail, which may contain a value and the values of an enumeration. */
const MAX_DETAIL_CHARACTERS = 2 * MAX_SHOWN_CHARACTERS;

function isStringArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Returns the error of an absent required field. */
export const required = (field: FieldPath | string, detail = ''): FieldError =>
  new FieldError('Required', field, '', detail);
/** Returns the error of an invalid value. */
export const invalid = (field: FieldPath | string, value: unknown, detail: string): FieldError =>
  new FieldError('Invalid', field, value, detail);
/** Returns the error of a value of the wrong JSON type. */
export const typeInvalid = (field: FieldPath | string, value: unknown, detail: string): FieldError =>
  new FieldError('TypeInvalid', field, value, detail);
/** Returns the error of a duplicate value. */
export const duplicate = (field: FieldPath | string, value: unknown): FieldError =>
  new FieldError('Duplicate', field, value, '');
/** Returns the error of a field that must not be set. */
export const forbidden = (field: FieldPath | string, detail: string): FieldError =>
  new FieldError('Forbidden', field, '', detail);
/** Returns the error of a reference to a missing object. */
export const notFoundField = (field: FieldPath | string, value: unknown): FieldError =>
  new FieldError('NotFound', field, value, '');
/** Returns the error of a value outside an enumeration, whose values are shown in the given order. */
export const notSupported = (field: FieldPath | string, value: unknown, supported: readonly string[]): FieldError =>
  new FieldError('NotSupported', field, value, supported.length === 0 ? '' : supportedValues(supported));

/** Most characters of the values of an enumeration that an error shows. */
const MAX_SUPPORTED_CHARACTERS = 4096;
/** Most values of an enumeration that an error can show: each has two quotes, a comma and a space. */
export const MAX_SUPPORTED_VALUES = MAX_SUPPORTED_CHARACTERS / 4 + 2;

/**
 * Returns the detail of {@link notSupported}: the values of an enumeration, the first ones of a long one.
 *
 * @param values the values, or the first {@link MAX_SUPPORTED_VALUES}
 * @param count the number of all values
 */
export const supportedValues = (values: readonly string[], count = values.length): string =>
  `supported values: ${quotedValues(values, count)}`;

function quotedValues(values: readonly string[], count: number): string {
  let text = '';
  for (const [index, value] of values.entries()) {
    const quoted = goQuote(value.slice(0, MAX_SUPPORTED_CHARACTERS));
    if (index > 0 && text.length + quoted.length > MAX_SUPPORTED_CHARACTERS)
      return `${text}, … (${grouped(count - index)} more)`;
    text += index === 0 ? quoted : `, ${quoted}`;
  }
  return text;
}

/** Returns the error of a string or byte sequence that is too long. */
export const tooLong = (field: FieldPath | string, value: unknown, maxBytes: number): FieldError =>
  new FieldError('TooLong', field, value, maxBytes >= 0 ? `must have at most ${maxBytes} bytes` : 'value is too long');
/** Returns the error of a list with too many items. */
export const tooMany = (field: FieldPath | string, actual: number, max: number): FieldError =>
  new FieldError('TooMany', field, actual, max >= 0 ? `must have at most ${max} items` : 'has too many items');
/** Returns an internal error. */
export const internalField = (field: FieldPath | string, detail: string): FieldError =>
  new FieldError('Internal', field, '', detail);

/** Returns one text for several errors, without duplicates: a single error alone, several in brackets. */
export const aggregateText = (errors: readonly FieldError[]): string => reportOf(errors).text;

/** Lists texts as Kubernetes does: a single text alone, several in brackets. */
export const listedTexts = (texts: readonly string[]): string =>
  texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`;

/** The errors that a response shows. */
export interface ErrorReport {
  /** The first errors with their texts, at least one. */
  readonly errors: readonly { readonly type: FieldErrorType; readonly field: string; readonly body: string }[];
  /** How many others there are, in words; undefined when there is none. */
  readonly more: string | undefined;
  /** All of this as one text, without duplicates. */
  readonly text: string;
}

/**
 * Returns the errors that a response shows, up to the maximum number and size. Many errors may show the same long value:
 * a list of a thousand owners that are all controllers would appear a thousand times.
 */
export function reportOf(errors: readonly FieldError[]): ErrorReport {
  const reported: { readonly type: FieldErrorType; readonly field: string; readonly body: string }[] = [];
  const texts = new Set<string>();
  let characters = 0;
  for (const error of errors) {
    if (reported.length === MAX_ERRORS) break;
    const { type, body } = error;
    const field = shownText(error.field);
    characters += field.length + body.length;
    if (characters > MAX_ERROR_CHARACTERS && reported.length > 0) break;
    reported.push({ type, field, body });
    texts.add(field === '' ? body : `${field}: ${body}`);
  }
  const omitted = errors.length - reported.length + omittedErrors(errors);
  const more = omitted === 0 ? undefined : `… and ${grouped(omitted)} more`;
  return { errors: reported, more, text: listedTexts(more === undefined ? [...texts] : [...texts, more]) };
}
