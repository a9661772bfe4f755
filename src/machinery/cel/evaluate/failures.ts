/**
 * Errors of expressions: at compile time, in an evaluation, and when the cost limit is exceeded.
 *
 * @module
 */

/**
 * Thrown for an invalid expression. The message has the format of Kubernetes: `ERROR: <input>:1:8: …`, with the line
 * and a mark below it.
 */
export class CelCompileError extends Error {
  override readonly name = 'CelCompileError';
}

/**
 * Thrown when an expression fails or exceeds its cost limit. The message is the one of Kubernetes. A value that cannot
 * be read may throw it too: the evaluation then fails with its message.
 */
export class CelEvaluationError extends Error {
  override readonly name: string = 'CelEvaluationError';
}

/** Thrown when the cost limit is exceeded. No expression can catch it. */
export class CelCostError extends CelEvaluationError {
  override readonly name = 'CelCostError';

  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/**
 * An error as a value. Operators pass it on; `||`, `&&` and the quantifiers may absorb it. It has no stack, so
 * thousands of them are cheap.
 */
export class CelFailure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Returns a failure with the message of Kubernetes. */
export const failure = (message: string): CelFailure => new CelFailure(message);

/** Returns the failure of a call without a matching overload. */
export const noSuchOverload = (): CelFailure => new CelFailure('no such overload');
