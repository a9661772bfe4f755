/**
 * Bounds. Each has a clear error past it, and an option.
 *
 * @module
 */

/** How large an expression may be. */
export interface ExpressionLimits {
  /** Characters (code points). Default 100 000, as in the production system. */
  readonly maxLength: number;
  /** Expressions within expressions. Default 250, as in the production system. */
  readonly maxDepth: number;
}

export const defaultExpressionLimits: ExpressionLimits = { maxLength: 100_000, maxDepth: 250 };

/** Cost that one evaluation may have: the production system's limit for a call. */
export const DEFAULT_COST_LIMIT = 1_000_000;
