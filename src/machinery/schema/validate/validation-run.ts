/**
 * The state that the parts of one validation of an object share.
 *
 * @module
 */
import { FieldErrorList, type Work } from '../../../foundation/index.js';
import type { PatternSearch } from '../../patterns/index.js';
import { ValueNumbers } from '../read/value-numbers.js';
import { Pace } from './pace.js';

/** Returns whether a pattern matches anywhere in a string. */
export type TextMatcher = ((text: string) => boolean) & {
  /**
   * Begins a search that can pause, for a long text.
   *
   * @internal
   */
  readonly search?: ((text: string) => PatternSearch) | undefined;
};

/** Compiles a pattern into a matcher, once per pattern. Throws when the pattern is invalid. */
export type PatternCompiler = (pattern: string) => TextMatcher;

/** The state that all parts of one validation share. */
export interface ValidationRun {
  /** True when types and formats are checked too, because reading the object did not check them. */
  readonly types: boolean;
  readonly compilePattern: PatternCompiler;
  readonly pace: Pace;
  readonly numbers: ValueNumbers;
  /** Path of the value in the errors; undefined for a whole object. Their texts have paths that start at the value. */
  readonly base: string | undefined;
  /** The text that was matched last, with the patterns it was matched with: conditions repeat them. */
  readonly matched: { text: string; readonly results: Map<string, string | undefined> };
}

/** The validation of an object, or of a value by a condition. */
export interface Validation {
  readonly errors: FieldErrorList;
  /** Number of values that were checked. */
  visited: number;
  readonly run: ValidationRun;
}

/** How a validation checks values. */
export interface ValidationSettings {
  readonly types: boolean;
  readonly compilePattern: PatternCompiler;
  readonly work: Work;
  readonly base?: string | undefined;
}

/** Begins a validation. */
export function newValidation({ types, compilePattern, work, base }: ValidationSettings): Validation {
  const pace = new Pace(work);
  const matched = { text: '', results: new Map<string, string | undefined>() };
  const run = { types, compilePattern, pace, numbers: new ValueNumbers(pace), base, matched };
  return { errors: new FieldErrorList(), visited: 0, run };
}

/** Go prints the path of a whole object, which has none, as its nil. */
const NO_PATH = '<nil>';

/**
 * Returns the field of an error.
 *
 * @param path the path in texts; a value of a map at the start has a path with a dot before its key
 */
export function fieldOf(path: string, { run: { base } }: Validation): string {
  const name = path.startsWith('.') ? path.slice(1) : path;
  if (name === '') return base ?? NO_PATH;
  return base === undefined ? name : `${base}.${name}`;
}
