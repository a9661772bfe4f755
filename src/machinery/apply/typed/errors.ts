import { grouped, type Steps } from '../../../foundation/index.js';
import { fieldElement, pathText } from '../fieldpath/element.js';
import type { Path } from '../fieldpath/paths.js';
import type { Walk } from '../fieldpath/walk.js';

/** One problem of a value and its path. */
export interface TypedProblem {
  readonly path: Path;
  readonly message: string;
}

/** Most problems of a value that are kept. */
export const MAX_PROBLEMS = 1_000;
/** Most characters of the texts of problems. */
const MAX_CHARACTERS = 256 * 1024;

/** Thrown for a value that does not match its schema. The message has the text of Kubernetes. */
export class TypedError extends Error {
  override readonly name = 'TypedError';
  readonly problems: readonly TypedProblem[];

  constructor(problems: readonly TypedProblem[], message = messageOf(problems.map(problemText))) {
    super(message);
    this.problems = problems;
  }

  /**
   * Returns an error with many problems, whose text is written in steps, up to {@link MAX_CHARACTERS}.
   *
   * @param omitted number of further problems, which the text counts
   */
  static *inSteps(problems: readonly TypedProblem[], omitted: number, walk: Walk): Steps<TypedError> {
    walk.reserve(problems.length * TEXT_PLACES);
    const texts: string[] = [];
    let characters = 0;
    for (const problem of problems) {
      if (walk.spend(TEXT_UNITS)) yield;
      const text = problemText(problem);
      characters += text.length;
      if (characters > MAX_CHARACTERS && texts.length > 0) break;
      texts.push(text);
    }
    const more = problems.length - texts.length + omitted;
    if (more > 0) texts.push(`… and ${grouped(more)} more`);
    return new TypedError(problems, messageOf(texts));
  }

  /** Returns an error with one problem, and its path if known. */
  static of(message: string, path: Path = []): TypedError {
    return new TypedError([{ path, message }]);
  }
}

/** Throws the TypedError of a field that the schema does not declare. @param parent path of its parent, if known */
export function undeclaredField(name: string, parent: Path = []): never {
  throw TypedError.of('field not declared in schema', [...parent, fieldElement(name)]);
}

/** Units of work to write the text of a problem, and places of memory that it takes in the text of all. */
const TEXT_UNITS = 16;
const TEXT_PLACES = 4;

const problemText = ({ path, message }: TypedProblem): string =>
  path.length === 0 ? message : `${pathText(path)}: ${message}`;

const messageOf = (texts: readonly string[]): string =>
  texts.length === 1 ? (texts[0] as string) : `errors:\n${texts.map((text) => `  ${text}`).join('\n')}`;
