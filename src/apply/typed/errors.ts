import { fieldElement, pathText } from '../fieldpath/element.js';
import type { Path } from '../fieldpath/paths.js';

/** One problem of a value and its path. */
export interface TypedProblem {
  readonly path: Path;
  readonly message: string;
}

/** Thrown for a value that does not match its schema. The message has the text of Kubernetes. */
export class TypedError extends Error {
  override readonly name = 'TypedError';
  readonly problems: readonly TypedProblem[];

  constructor(problems: readonly TypedProblem[]) {
    super(problemsText(problems));
    this.problems = problems;
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

function problemsText(problems: readonly TypedProblem[]): string {
  const texts = problems.map(({ path, message }) => (path.length === 0 ? message : `${pathText(path)}: ${message}`));
  return texts.length === 1 ? (texts[0] as string) : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n');
}
