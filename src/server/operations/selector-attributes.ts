import { FieldSelector, LabelSelector, type LabelOperator } from '../../machinery/index.js';
import type { Attributes, SelectorRequirement } from '../../security/index.js';
import type { RequestInfo } from '../requests/request-info.js';

/** Verbs that take selectors. */
const COLLECTION_VERBS: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/** Operators of authorization requests. Comparisons have no such operator and are omitted. */
const LABEL_OPERATORS: Readonly<Partial<Record<LabelOperator, string>>> = {
  '=': 'In',
  '==': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
};

/**
 * Returns the selectors of a request on a collection, for authorizers that use them (KEP-4601, gate
 * AuthorizeWithSelectors). An invalid selector is omitted, so the authorizer sees a request for all objects. As in
 * Kubernetes, selectors are also omitted when the path contains the verb.
 */
export function selectorAttributes(
  { verb, verbViaPathPrefix }: Pick<RequestInfo, 'verb' | 'verbViaPathPrefix'>,
  query: URLSearchParams,
): Pick<Attributes, 'fieldSelector' | 'labelSelector'> {
  if (verbViaPathPrefix || !COLLECTION_VERBS.has(verb)) return {};
  return requirementsOf(query.get('fieldSelector') ?? '', query.get('labelSelector') ?? '');
}

/** Returns the requirements of the texts of selectors. An invalid selector is omitted. */
export function requirementsOf(fields: string, labels: string): Pick<Attributes, 'fieldSelector' | 'labelSelector'> {
  const fieldSelector = read(() => fieldRequirements(fields));
  const labelSelector = read(() => labelRequirements(labels));
  return {
    ...(fieldSelector.length === 0 ? {} : { fieldSelector }),
    ...(labelSelector.length === 0 ? {} : { labelSelector }),
  };
}

function read(requirements: () => readonly SelectorRequirement[]): readonly SelectorRequirement[] {
  try {
    return requirements();
  } catch {
    return [];
  }
}

function fieldRequirements(text: string): readonly SelectorRequirement[] {
  return FieldSelector.parse(text).requirements.map(({ field, operator, value }) => ({
    key: field,
    operator: operator === '=' ? 'In' : 'NotIn',
    values: [value],
  }));
}

function labelRequirements(text: string): readonly SelectorRequirement[] {
  return LabelSelector.parse(text).requirements.flatMap(({ key, operator, values }) => {
    const word = LABEL_OPERATORS[operator];
    return word === undefined ? [] : [{ key, operator: word, values }];
  });
}
