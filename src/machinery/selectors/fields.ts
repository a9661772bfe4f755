/**
 * Field selectors: `metadata.name=a,status.phase!=Running`.
 *
 * @module
 */
import { compareText, errors, goQuote } from '../../foundation/index.js';
import { checkRequirementCount, checkSelectorSize, type SelectorLimits } from './limits.js';

/** One requirement on one field. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  /** The value itself, without escapes. */
  readonly value: string;
}

/** The selectable fields of every namespaced kind. A cluster-scoped kind with its own list lacks the second. */
export const COMMON_FIELDS: readonly string[] = ['metadata.name', 'metadata.namespace'];

/** Requirements on fields that must all hold. Immutable, and safe to share. */
export class FieldSelector {
  /** The requirements, sorted. */
  readonly requirements: readonly FieldRequirement[];

  private constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
  }

  /** Selects every object. */
  static readonly everything = new FieldSelector([]);

  /**
   * Parses a selector, such as the query parameter `fieldSelector`: terms joined by commas, each `field=value`,
   * `field==value` or `field!=value`. In a value, a backslash escapes a backslash, a comma or an equals sign. Empty
   * terms are skipped; the empty string selects everything.
   *
   * @throws ApiError (400) with the message of Kubernetes, or when the selector exceeds a limit
   */
  static parse(text: string, limits?: SelectorLimits): FieldSelector {
    if (text === '') return FieldSelector.everything;
    checkSelectorSize(text, limits);
    const terms = splitTerms(text).filter((term) => term !== '');
    checkRequirementCount(terms.length, limits);
    // Sorted, because the error names the first invalid term in this order.
    return FieldSelector.of(terms.sort(compareText).map((term) => parseTerm(term, text)));
  }

  /** Returns the selector of the given requirements. */
  static of(requirements: readonly FieldRequirement[]): FieldSelector {
    const wanted = requirements.filter(({ field, value }) => field !== '' || value !== '');
    return new FieldSelector(wanted.sort((a, b) => compareText(termText(a), termText(b))));
  }

  /** True if the selector selects every object. */
  get empty(): boolean {
    return this.requirements.length === 0;
  }

  /**
   * Returns true when an object satisfies every requirement.
   *
   * @param get returns a field of the object; empty when absent
   */
  matches(get: (field: string) => string): boolean {
    for (const { field, operator, value } of this.requirements)
      if ((get(field) === value) !== (operator === '=')) return false;
    return true;
  }

  /** Returns the value of a field that the selector requires, for an index; undefined when it requires none. */
  exact(field: string): string | undefined {
    return this.requirements.find((requirement) => requirement.field === field && requirement.operator === '=')?.value;
  }

  /**
   * Finds a field that cannot select objects of a kind.
   *
   * Kubernetes has two messages. That of a kind with only the fields name and namespace names both. That of a kind with
   * its own list, even an identical one (custom resources), only says that the label is not supported.
   *
   * @param supported the selectable fields of the kind
   * @param ownList true when the kind has its own list; default true for fields other than {@link COMMON_FIELDS}
   * @param words the words of the kind, with `<field>` in the place of the field; default those of Kubernetes' kinds
   * @returns the message of a 400 for the first such field; undefined when there is none
   */
  checkFields(
    supported: readonly string[],
    ownList = supported.some((field) => !COMMON_FIELDS.includes(field)),
    words?: string,
  ): string | undefined {
    const unsupported = this.requirements.find(({ field }) => !supported.includes(field));
    if (unsupported === undefined) return undefined;
    if (words !== undefined) return words.replaceAll('<field>', () => unsupported.field);
    return ownList ? fieldNotSupportedText(unsupported.field) : unknownFieldText(unsupported.field);
  }

  /** Returns the selector as a string, which {@link FieldSelector.parse} accepts. */
  toString(): string {
    return this.requirements.map(termText).join(',');
  }
}

/** Returns the message of kinds with only the fields name and namespace. */
export function unknownFieldText(field: string): string {
  return `${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

/**
 * Returns the message of kinds with their own list of fields: pods, nodes, namespaces, secrets, events, custom
 * resources.
 */
export function fieldNotSupportedText(field: string): string {
  return `field label not supported: ${field}`;
}

/** Escapes a value for a selector's text: a backslash before each backslash, comma and equals sign. */
export function escapeFieldValue(value: string): string {
  let escaped = '';
  for (const character of value) escaped += isSpecial(character) ? `\\${character}` : character;
  return escaped;
}

function termText({ field, operator, value }: FieldRequirement): string {
  return field + operator + escapeFieldValue(value);
}

function isSpecial(character: string): boolean {
  return character === '\\' || character === ',' || character === '=';
}

/** Splits at unescaped commas. */
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

/** Splits a term at its first operator. The field before it is not checked. */
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
      // Kubernetes shows the code of the character.
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
