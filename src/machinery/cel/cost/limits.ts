/**
 * The limits of an expression and of its evaluation. Each has an option.
 *
 * @module
 */

/** Maximum size of an expression. */
export interface ExpressionLimits {
  /** Maximum number of characters (code points). Default 100 000, as in Kubernetes. */
  readonly maxLength: number;
  /** Maximum depth of nested expressions. Default 250, as in Kubernetes. */
  readonly maxDepth: number;
}

/** The limits of Kubernetes. */
export const defaultExpressionLimits: ExpressionLimits = { maxLength: 100_000, maxDepth: 250 };

/** Cost and work beyond which an evaluation is not brief: about 7 ms. */
export const BRIEF_COST = 100_000;

/** Default maximum cost of one evaluation: the limit of Kubernetes per call. */
export const DEFAULT_COST_LIMIT = 1_000_000;
