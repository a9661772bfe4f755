import type { Attributes, SelectorRequirement } from '../authz/index.js';
import { FieldSelector, LabelSelector, type LabelOperator } from '../selectors/index.js';
import type { RequestInfo } from './request-info.js';

/** Verbs that selectors narrow. */
const COLLECTION_VERBS: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/** Operators in the words of authorization. Comparisons have none: what they narrow is not told. */
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
 * What a request on a collection is narrowed to, for authorizers that decide by it (KEP-4601, gate AuthorizeWithSelectors). A
 * selector that cannot be read is not told: for the authorizer the request is one on everything. Nor is one on a path that
 * has the verb in it, as in Kubernetes.
 */
export function selectorAttributes(
  { verb, verbViaPathPrefix }: Pick<RequestInfo, 'verb' | 'verbViaPathPrefix'>,
  query: URLSearchParams,
): Pick<Attributes, 'fieldSelector' | 'labelSelector'> {
  if (verbViaPathPrefix || !COLLECTION_VERBS.has(verb)) return {};
  const fieldSelector = read(() => fieldRequirements(query.get('fieldSelector') ?? ''));
  const labelSelector = read(() => labelRequirements(query.get('labelSelector') ?? ''));
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
