/**
 * The limits of an expression and of its evaluation. Each has an option.
 *
 * @module
 */

import type { Defined } from '../../../foundation/index.js';

/** Maximum size of an expression. */
export interface ExpressionLimits {
  /** Maximum number of characters (code points). Default 100 000, as in Kubernetes. */
  readonly maxLength?: number | undefined;
  /** Maximum depth of nested expressions. Default 250, as in Kubernetes. */
  readonly maxDepth?: number | undefined;
}

/** The limits of Kubernetes. */
export const defaultExpressionLimits: Required<Defined<ExpressionLimits>> = { maxLength: 100_000, maxDepth: 250 };

/**
 * Cost beyond which an evaluation is not brief, and work beyond which it is not: each about a quarter of a millisecond, and four
 * before the engine has compiled the steps of expressions.
 */
export const BRIEF_COST = 4_000;

/** Default maximum cost of one evaluation: the limit of Kubernetes per call. */
export const DEFAULT_COST_LIMIT = 1_000_000;

/**
 * Work that an evaluation may do for each unit of its maximum cost. Most expressions do less than one; the others call
 * functions that cost nothing in Kubernetes, however large their operands are.
 */
export const WORK_PER_COST = 10;

/** Maximum number of UTF-16 units of a text that an expression makes, and of bytes: more than the body of a request has. */
export const MAX_MADE_LENGTH = 4 * 1024 * 1024;
