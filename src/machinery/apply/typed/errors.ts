import type { Steps } from '../../../foundation/index.js';
import { fieldElement, pathText } from '../fieldpath/element.js';
import type { Path } from '../fieldpath/paths.js';
import type { Walk } from '../fieldpath/walk.js';

/** One problem of a value and its path. */
export interface TypedProblem {
  readonly path: Path;
  readonly message: string;
}

/** Thrown for a value that does not match its schema. The message has the text of Kubernetes. */
export class TypedError extends Error {
  override readonly name = 'TypedError';
  readonly problems: readonly TypedProblem[];

  constructor(problems: readonly TypedProblem[], message = messageOf(problems.map(problemText))) {
    super(message);
    this.problems = problems;
  }

  /** Returns an error with many problems, whose text is written in steps. */
  static *inSteps(problems: readonly TypedProblem[], walk: Walk): Steps<TypedError> {
    walk.reserve(problems.length * TEXT_PLACES);
    const texts: string[] = [];
    for (const problem of problems) {
      if (walk.spend(TEXT_UNITS)) yield;
      texts.push(problemText(problem));
    }
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
