import {
  atOnce,
  errors,
  goQuote,
  UNBOUNDED_WORK,
  type ApiError,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import type { DecodedDocument } from './codec.js';
import { unhandledBody } from './decode-problem.js';
import { locateSteps } from './problem-order.js';

/** Handling of unknown and duplicate fields (query parameter `fieldValidation`). */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** Maximum number of problems reported per body, as in Kubernetes. */
const MAX_PROBLEMS = 100;

/** Problems of a body whose handling depends on the level. */
export interface StrictProblems {
  readonly duplicates: DecodedDocument['duplicates'];
  readonly duplicateForm: DecodedDocument['duplicateForm'];
  /** Paths of unknown fields, in document order. */
  readonly unknownFields: readonly string[];
  /** The JSON text; the problems are reported in its order. Without it the duplicates come first. */
  readonly text?: string | undefined;
  /** Messages that come first: problems of the patch that produced the object. */
  readonly before?: readonly string[] | undefined;
}

/** Result of applying a level to the problems. */
export interface StrictOutcome {
  /** Messages for {@link WarningRecorder}, one per problem. */
  readonly warnings: readonly string[];
  /** The error, if the level refuses the body. */
  readonly error?: ApiError | undefined;
}

/** The type of the body, for the error message. */
export interface StrictSubject {
  /** Kind in the body. */
  readonly kind: string;
  /** Version (without group) in the body. */
  readonly version: string;
  /** Kind that the path expects, if it differs. */
  readonly expectedKind?: string | undefined;
}

const NO_TEXTS: readonly string[] = Object.freeze([]);
const NOTHING: StrictOutcome = Object.freeze({ warnings: NO_TEXTS });

/**
 * Applies the level to the unknown and duplicate fields of a body.
 *
 * A duplicate field that is unknown or inside an unknown field is reported only as unknown.
 */
export function strictDecoding(
  problems: StrictProblems,
  level: FieldValidation,
  subject: StrictSubject,
): StrictOutcome {
  return atOnce(strictSteps(UNBOUNDED_WORK, problems, level, subject));
}

/** Like {@link strictDecoding}, for the problems of a long body. */
export function* strictSteps(
  work: Work,
  problems: StrictProblems,
  level: FieldValidation,
  subject: StrictSubject,
): Steps<StrictOutcome> {
  if (
    level === 'Ignore' ||
    (problems.duplicates.length === 0 && problems.unknownFields.length === 0 && (problems.before ?? []).length === 0)
  )
    return NOTHING;
  const before = problems.before ?? [];
  if (problems.duplicateForm === 'path')
    return strictOutcome([...before, ...(yield* strictTextSteps(work, problems))], level, subject);
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

/** Applies the level to the duplicate keys in the body of an apply, which has another error message. */
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
 * Returns the messages for the unknown and duplicate fields of a JSON document, in document order if its text is given.
 * `prefix` precedes each message, such as `json patch ` for fields of JSON Patch operations.
 */
export function strictTexts(problems: StrictProblems, prefix = ''): readonly string[] {
  return atOnce(strictTextSteps(UNBOUNDED_WORK, problems, prefix));
}

/** Like {@link strictTexts}, for a long document. */
export function* strictTextSteps(
  work: Work,
  { duplicates, unknownFields, text }: StrictProblems,
  prefix = '',
): Steps<readonly string[]> {
  if (duplicates.length === 0 && unknownFields.length === 0) return NO_TEXTS;
  const unknown = [...new Set(unknownFields)];
  const duplicated = unknown.length === 0 ? duplicates : duplicates.filter((path) => !isWithin(path, unknown));
  const positions =
    text === undefined || unknown.length + duplicated.length < 2
      ? undefined
      : yield* locateSteps(work, text, unknown, duplicated);
  const problems = [
    ...duplicated.map((path) => ({ text: `duplicate field ${goQuote(path)}`, at: positions?.get(path)?.[1] ?? 0 })),
    ...unknown.map((path) => ({ text: `unknown field ${goQuote(path)}`, at: positions?.get(path)?.[0] ?? 0 })),
  ];
  return problems
    .sort((a, b) => a.at - b.at)
    .slice(0, MAX_PROBLEMS)
    .map((problem) => prefix + problem.text);
}

function unknownTexts(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].slice(0, MAX_PROBLEMS).map((path) => `unknown field ${goQuote(path)}`);
}

/** Returns true when a path equals one of the others or lies below one of them. */
function isWithin(path: string, others: readonly string[]): boolean {
  return others.some(
    (other) => path.startsWith(other) && (path.length === other.length || '.['.includes(path.charAt(other.length))),
  );
}

/** Joins the lines into one problem, as the YAML parser of Kubernetes reports them. */
function yamlTexts(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`yaml: unmarshal errors:\n${lines.map((line) => `  ${line}`).join('\n')}`];
}
