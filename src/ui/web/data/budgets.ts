import type { UntypedObject } from '../../../entries/client-web.js';
import { LabelSelector, type LabelSelectorObject } from '../../../machinery/index.js';
import type { Api } from './api.js';
import { isMap, listOf, textOf } from './guards.js';
import { pathOf, type PageKind } from './kinds.js';

/** A PodDisruptionBudget that selects a pod. */
export interface Budget {
  readonly name: string;
  /** How many pods may be evicted now; undefined before its controller has counted. */
  readonly allowed: number | undefined;
}

/** Reads the budgets that select a pod; none for an object of another kind. @throws ApiFailure */
export async function readBudgets(
  api: Api,
  kinds: readonly PageKind[],
  object: UntypedObject,
  signal: AbortSignal,
): Promise<readonly Budget[]> {
  const { namespace, labels = {} } = object.metadata;
  const budgets = kinds.find(({ group, plural }) => group === 'policy' && plural === 'poddisruptionbudgets');
  if (object.apiVersion !== 'v1' || object.kind !== 'Pod' || namespace === undefined || budgets === undefined)
    return [];
  const list = await api.read<unknown>(pathOf(budgets, namespace), 'application/json', signal);
  return budgetsOf(listOf(isMap(list) ? list['items'] : undefined), labels);
}

/** Returns those of budgets that select a pod by its labels. */
export const budgetsOf = (budgets: readonly unknown[], labels: Readonly<Record<string, string>>): readonly Budget[] =>
  budgets.flatMap((budget) => {
    if (!isMap(budget)) return [];
    const { metadata, spec, status } = budget;
    const selector = isMap(spec) ? spec['selector'] : undefined;
    if (!isSelector(selector) || !LabelSelector.fromObject(selector).matches(labels)) return [];
    const allowed = isMap(status) ? status['disruptionsAllowed'] : undefined;
    const name = textOf(isMap(metadata) ? metadata['name'] : undefined) ?? '';
    return [{ name, allowed: typeof allowed === 'number' ? allowed : undefined }];
  });

/** Whether a value is a selector; `LabelSelector` checks its parts. */
const isSelector = (value: unknown): value is LabelSelectorObject => isMap(value);
