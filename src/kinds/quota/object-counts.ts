import { countOf, type Amounts } from './amounts.js';
import { countName, type QuotaEvaluator } from './evaluator.js';

/** Kinds of the core group that quotas can also count by the name of the kind alone. */
const SHORT_NAMES: readonly string[] = ['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'];

/** Returns an evaluator that counts the objects of a kind. */
export function objectCounts(group: string, resource: string): QuotaEvaluator {
  const names = [countName(group, resource)];
  if (group === '' && SHORT_NAMES.includes(resource)) names.push(resource);
  const usage: Amounts = new Map(names.map((name) => [name, countOf(1)]));
  return {
    group,
    resource,
    measures: (name) => names.includes(name),
    isInScope: () => false,
    usage: () => usage,
  };
}

/** Returns the kind that a resource of a quota counts, by its name; undefined for another resource. */
export function countedKind(name: string): { readonly group: string; readonly resource: string } | undefined {
  if (SHORT_NAMES.includes(name)) return { group: '', resource: name };
  if (!name.startsWith('count/')) return undefined;
  const [resource = '', ...group] = name.slice('count/'.length).split('.');
  return { group: group.join('.'), resource };
}
