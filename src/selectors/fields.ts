/**
 * Field selectors: `metadata.name=a,status.phase!=Running`.
 *
 * @module
 */
import { errors } from '../meta/api-error.js';
import { goQuote } from '../meta/go-text.js';
import { checkSelectorSize, type SelectorLimits } from './limits.js';

/** One demand on one field. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  /** The value itself, without escapes. */
  readonly value: string;
}

/** The fields that every kind in namespaces can be selected by; outside namespaces, a kind with a list of its own lacks the second. */
export const COMMON_FIELDS: readonly string[] = ['metadata.name', 'metadata.namespace'];

/** Requirements on fields that must all hold. Immutable, and safe to share. */
export class FieldSelector {
  /** The requirements, in the order of their texts. */
  readonly requirements: readonly FieldRequirement[];

  private constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
  }

  /** Selects every object. */
  static readonly everything = new FieldSelector([]);

  /**
   * Reads a selector from its text, as in the query parameter `fieldSelector`: terms joined by commas, each
   * `field=value`, `field==value` or `field!=value`. In a value, a backslash stands before a backslash, a comma or an
   * equals sign. Empty terms are left out; the empty text selects everything.
   *
   * @throws ApiError (400) with the production system's words, or when the text is longer than the limit
   */
  static parse(text: string, limits?: SelectorLimits): FieldSelector {
    if (text === '') return FieldSelector.everything;
    checkSelectorSize(text, limits);
    // Of several bad terms the first in the order of their texts is told.
    const terms = splitTerms(text).sort();
    return FieldSelector.of(terms.filter((term) => term !== '').map((term) => parseTerm(term, text)));
  }

  /** The selector of requirements that are made already. */
  static of(requirements: readonly FieldRequirement[]): FieldSelector {
    const wanted = requirements.filter(({ field, value }) => field !== '' || value !== '');
    return new FieldSelector(wanted.sort((a, b) => compareText(termText(a), termText(b))));
  }

  /** True when the selector selects every object. */
  get empty(): boolean {
    return this.requirements.length === 0;
  }

  /**
   * True when an object satisfies every requirement.
   *
   * @param get reads a field of the object; the empty text stands for an absent one
   */
  matches(get: (field: string) => string): boolean {
    for (const { field, operator, value } of this.requirements)
      if ((get(field) === value) !== (operator === '=')) return false;
    return true;
  }

  /** The one value of a field that every selected object has, when the selector demands one; for an index. */
  exact(field: string): string | undefined {
    return this.requirements.find((requirement) => requirement.field === field && requirement.operator === '=')?.value;
  }

  /**
   * Finds a field that objects of a kind cannot be selected by.
   *
   * Production has two texts. A kind that is selected by name and namespace alone names those two. A kind with a list of
   * its own, even an equal one (user-defined kinds), says only that the label is not supported.
   *
   * @param supported the fields that the kind is selected by
   * @param ownList whether the kind has a list of its own; default when it has other fields than {@link COMMON_FIELDS}
   * @returns the text of a 400, for the first such field; undefined when there is none
   */
  checkFields(
    supported: readonly string[],
    ownList = supported.some((field) => !COMMON_FIELDS.includes(field)),
  ): string | undefined {
    const unsupported = this.requirements.find(({ field }) => !supported.includes(field));
    if (unsupported === undefined) return undefined;
    return ownList ? fieldNotSupportedText(unsupported.field) : unknownFieldText(unsupported.field);
  }

  /** The selector as text, which {@link FieldSelector.parse} reads back. */
  toString(): string {
    return this.requirements.map(termText).join(',');
  }
}

/** What kinds say that are selected by name and namespace alone. */
export function unknownFieldText(field: string): string {
  return `${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

/** What kinds say that have a list of fields of their own: pods, nodes, namespaces, secrets, events, user-defined kinds. */
export function fieldNotSupportedText(field: string): string {
  return `field label not supported: ${field}`;
}

/** A value as a selector's text carries it: a backslash before a backslash, a comma or an equals sign. */
export function escapeFieldValue(value: string): string {
  let escaped = '';
  for (const character of value) escaped += isSpecial(character) ? `\\${character}` : character;
  return escaped;
}

function termText({ field, operator, value }: FieldRequirement): string {
  return field + operator + escapeFieldValue(value);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isSpecial(character: string): boolean {
  return character === '\\' || character === ',' || character === '=';
}

/** Cuts at the commas that no backslash stands before. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '\\') {
      index += 1;
    } else if (text[index] === ',') {
      terms.push(text.slice(start, index));
      start = index + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

/** The first operator of a term divides it; the field before it is taken as it is. */
function parseTerm(term: string, selector: string): FieldRequirement {
  const equals = term.indexOf('=');
  if (equals === -1) throw errors.badRequest(`invalid selector: '${selector}'; can't understand '${term}'`);
  if (equals > 0 && term[equals - 1] === '!')
    return { field: term.slice(0, equals - 1), operator: '!=', value: unescape(term.slice(equals + 1)) };
  const doubled = term[equals + 1] === '=';
  return { field: term.slice(0, equals), operator: '=', value: unescape(term.slice(equals + (doubled ? 2 : 1))) };
}

function unescape(text: string): string {
  let value = '';
  let escaped = false;
  for (const character of text) {
    if (escaped && !isSpecial(character)) throw invalidEscape(`\\${character}`);
    if (!escaped && (character === ',' || character === '=')) {
      // The production system shows the number of the character.
      throw errors.badRequest(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
    }
    const opens: boolean = !escaped && character === '\\';
    if (!opens) value += character;
    escaped = opens;
  }
  if (escaped) throw invalidEscape('\\');
  return value;
}

function invalidEscape(sequence: string): Error {
  return errors.badRequest(`invalid field selector: invalid escape sequence: ${sequence}`);
}
