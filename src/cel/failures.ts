/**
 * What goes wrong: an expression that does not compile, one that fails while it runs, and the end of its budget.
 *
 * @module
 */

/** An expression cannot be used. The message is production's: `ERROR: <input>:1:8: …`, with the line and a mark below it. */
export class CelCompileError extends Error {
  override readonly name = 'CelCompileError';
}

/** An expression failed, or cost too much. The message is production's. */
export class CelEvaluationError extends Error {
  override readonly name: string = 'CelEvaluationError';
}

/** The budget is used up. Nothing in the expression can catch this. */
export class CelCostError extends CelEvaluationError {
  override readonly name = 'CelCostError';

  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/**
 * An error as a value: the language's operators pass it on, and `||`, `&&` and the quantifiers may get over it. It has no
 * stack, so that thousands of them cost little.
 */
export class CelFailure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** A failure with production's words. */
export const failure = (message: string): CelFailure => new CelFailure(message);

/** No function of that name takes such values. */
export const noSuchOverload = (): CelFailure => new CelFailure('no such overload');
