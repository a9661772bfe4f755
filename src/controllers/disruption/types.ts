import type { ObjectOf } from '../../registry/definition/definition.js';
import type { PodDisruptionBudget } from '../../kinds/builtin/policy/kinds.js';

/** A budget as the API returns it. */
export type Budget = ObjectOf<typeof PodDisruptionBudget>;

/** The status of a budget. */
export type BudgetStatus = NonNullable<Budget['status']>;
