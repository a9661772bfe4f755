import { UNBOUNDED_WORK, type Work } from '../work/work.js';
import { VerbatimValue, type FieldError } from './field-error.js';

/** Most errors of an object that are kept. */
export const MAX_ERRORS = 1000;

/** Most characters of the errors of an object: fields, values that are texts or shown as given, and details. */
export const MAX_ERROR_CHARACTERS = 256 * 1024;

/** Units of work to check an item of a list by the rules of its kind: about a microsecond. */
export const ITEM_UNITS = 24;

/**
 * The errors that a validation finds: the first ones, up to {@link MAX_ERRORS} and {@link MAX_ERROR_CHARACTERS}, and
 * the number of the others. One object can violate its rules a million times. The list goes wherever the validation
 * goes, so it also has the work that the validation counts.
 */
export class FieldErrorList extends Array<FieldError> {
  readonly #work: Work;
  readonly #most: number;
  #omitted = 0;
  #characters = 0;

  /**
   * @param work default: without limits
   * @param most most errors that are kept
   */
  constructor(work: Work = UNBOUNDED_WORK, most = MAX_ERRORS) {
    super();
    this.#work = work;
    this.#most = most;
  }

  /** Lists made from this one, as by `filter`, are plain. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  /** The work of the request whose object is validated. */
  get work(): Work {
    return this.#work;
  }

  /**
   * Counts work of the validation.
   *
   * @param units default: those of an item of a list
   * @returns true when the validation should pause; see {@link Work.spend}
   */
  spend(units = ITEM_UNITS): boolean {
    return this.#work.spend(units);
  }

  /** Number of errors that were not kept. */
  get omitted(): number {
    return this.#omitted;
  }

  /** True when further errors are only counted: see {@link omit}. */
  get isFull(): boolean {
    return this.length >= this.#most || this.#characters >= MAX_ERROR_CHARACTERS;
  }

  /** Counts errors without making them. */
  omit(count: number): void {
    this.#omitted += count;
  }

  /** Adds errors; counts those that no longer fit. Returns the number of errors that are kept. */
  override push(...errors: FieldError[]): number {
    for (const error of errors) this.#add(error);
    return this.length;
  }

  #add(error: FieldError): void {
    if (this.isFull) {
      this.#omitted += 1;
      return;
    }
    const { field, detail, value } = error;
    this.#characters += field.length + detail.length + textLength(value);
    super.push(error);
  }
}

/** Returns the number of errors that were found and not kept. */
export const omittedErrors = (errors: readonly FieldError[]): number =>
  errors instanceof FieldErrorList ? errors.omitted : 0;

/** Appends errors to others, with the number of those that were not kept. */
export function appendErrors(errors: FieldError[], found: Iterable<FieldError>): void {
  for (const error of found) errors.push(error);
  if (found instanceof FieldErrorList && errors instanceof FieldErrorList) errors.omit(found.omitted);
}

/** Returns the errors of several lists, in order, within the limits. */
export function allErrors(...lists: readonly (readonly FieldError[])[]): FieldErrorList {
  const errors = new FieldErrorList();
  for (const list of lists) appendErrors(errors, list);
  return errors;
}

/** Returns the length of a value that is shown as a text. */
function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return value instanceof VerbatimValue ? value.text.length : 0;
}
