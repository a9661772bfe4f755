import type { Path } from '../fieldpath/paths.js';
import { pathText } from '../fieldpath/element.js';

/** One thing that is wrong with a value, and where. */
export interface TypedProblem {
  readonly path: Path;
  readonly message: string;
}

/** A value that does not fit its schema. The message is the production system's. */
export class TypedError extends Error {
  override readonly name = 'TypedError';
  readonly problems: readonly TypedProblem[];

  constructor(problems: readonly TypedProblem[]) {
    super(problemsText(problems));
    this.problems = problems;
  }

  /** One problem, with its path if it is known. */
  static of(message: string, path: Path = []): TypedError {
    return new TypedError([{ path, message }]);
  }
}

function problemsText(problems: readonly TypedProblem[]): string {
  const texts = problems.map(({ path, message }) => (path.length === 0 ? message : `${pathText(path)}: ${message}`));
  return texts.length === 1 ? (texts[0] as string) : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n');
}
