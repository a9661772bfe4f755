import { errors, type ApiError } from '../meta/api-error.js';
import type { DecodedDocument } from './codec.js';
import { unhandledBody } from './decode-problem.js';
import { locateKeys } from './problem-order.js';
import { goQuote } from '../meta/go-text.js';

/** What happens to unknown and repeated fields (query parameter `fieldValidation`). */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** How many problems of one body are told; the production system stops there as well. */
const MAX_PROBLEMS = 100;

/** What a body has that is not wrong enough to refuse it under every level. */
export interface StrictProblems {
  readonly duplicates: DecodedDocument['duplicates'];
  readonly duplicateForm: DecodedDocument['duplicateForm'];
  /** Paths of fields that the schema does not know, in the order of the document. */
  readonly unknownFields: readonly string[];
  /** JSON in which both are found: they are told in its order. Without it the repeated ones come first. */
  readonly text?: string | undefined;
  /** Texts of problems that come before these: those of the patch that made the object. */
  readonly before?: readonly string[];
}

/** What a level makes of the problems. */
export interface StrictOutcome {
  /** Texts for {@link WarningRecorder}, one a problem. */
  readonly warnings: readonly string[];
  /** The refusal. */
  readonly error?: ApiError;
}

/** What the body was read as, for the text of the refusal. */
export interface StrictSubject {
  /** Kind that the body names. */
  readonly kind: string;
  /** Version (without group) that the body names. */
  readonly version: string;
  /** Kind that the path takes, if another word is wanted. */
  readonly expectedKind?: string;
}

const NOTHING: StrictOutcome = Object.freeze({ warnings: Object.freeze([]) });

/**
 * Decides about unknown and repeated fields of a body.
 *
 * A field that is repeated inside of an unknown one, or is itself unknown, is only unknown.
 */
export function strictDecoding(
  problems: StrictProblems,
  level: FieldValidation,
  subject: StrictSubject,
): StrictOutcome {
  if (
    level === 'Ignore' ||
    (problems.duplicates.length === 0 && problems.unknownFields.length === 0 && (problems.before ?? []).length === 0)
  )
    return NOTHING;
  const before = problems.before ?? [];
  if (problems.duplicateForm === 'path') return strictOutcome([...before, ...strictTexts(problems)], level, subject);
  const unknown = unknownTexts(problems.unknownFields);
  if (level === 'Warn') return { warnings: [...before, ...problems.duplicates, ...unknown] };
  return strictOutcome([...before, ...yamlTexts(problems.duplicates), ...unknown], level, subject);
}

function strictOutcome(texts: readonly string[], level: FieldValidation, subject: StrictSubject): StrictOutcome {
  if (level === 'Warn') return { warnings: texts };
  return {
    warnings: [],
    error: unhandledBody(subject, subject.expectedKind ?? subject.kind, `strict decoding error: ${texts.join(', ')}`),
  };
}

/**
 * Decides about repeated keys in the body of an apply, whose refusal reads differently.
 */
export function strictApplyDecoding(
  document: Pick<DecodedDocument, 'duplicates' | 'duplicateForm'>,
  level: FieldValidation,
): StrictOutcome {
  const { duplicates } = document;
  if (level === 'Ignore' || duplicates.length === 0) return NOTHING;
  if (level === 'Warn') return { warnings: duplicates };
  return {
    warnings: [],
    error: errors.badRequest(
      `error strict decoding YAML: error converting YAML to JSON: ${yamlTexts(duplicates).join('')}`,
    ),
  };
}

/**
 * Texts for the unknown and repeated fields of a JSON document, in its order where its text is given; `prefix` stands before
 * each, such as `json patch ` for fields of the patch's operations.
 */
export function strictTexts({ duplicates, unknownFields, text }: StrictProblems, prefix = ''): readonly string[] {
  const unknown = [...new Set(unknownFields)];
  const unknownPaths = new Set(unknown);
  const repeated = unknown.length === 0 ? duplicates : duplicates.filter((path) => !isWithin(path, unknownPaths));
  const places =
    text === undefined || unknown.length + repeated.length < 2
      ? undefined
      : locateKeys(text, [...unknown, ...repeated]);
  const placed = [
    ...repeated.map((path) => ({ text: `duplicate field ${goQuote(path)}`, at: places?.get(path)?.[1] ?? 0 })),
    ...unknown.map((path) => ({ text: `unknown field ${goQuote(path)}`, at: places?.get(path)?.[0] ?? 0 })),
  ];
  return placed
    .sort((a, b) => a.at - b.at)
    .slice(0, MAX_PROBLEMS)
    .map((problem) => prefix + problem.text);
}

function unknownTexts(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].slice(0, MAX_PROBLEMS).map((path) => `unknown field ${goQuote(path)}`);
}

/** Whether a path is one of others or lies below one of them. */
function isWithin(path: string, others: ReadonlySet<string>): boolean {
  for (let end = path.length; end > 0; end = Math.max(path.lastIndexOf('.', end - 1), path.lastIndexOf('[', end - 1))) {
    if (others.has(path.slice(0, end))) return true;
  }
  return false;
}

/** The lines as one problem, as the YAML parser tells them. */
function yamlTexts(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`yaml: unmarshal errors:\n${lines.map((line) => `  ${line}`).join('\n')}`];
}
