import type { PodDisruptionBudget } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';

/** A budget as the API returns it. */
export type Budget = ObjectOf<typeof PodDisruptionBudget>;

/** The status of a budget. */
export type BudgetStatus = NonNullable<Budget['status']>;
