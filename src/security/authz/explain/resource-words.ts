import { distancesFrom } from './closeness.js';

/** A served resource with its names. */
export interface NamedResource {
  /** The core group is the empty text. */
  readonly group: string;
  /** Plural name. */
  readonly resource: string;
  readonly singular: string;
  readonly shortNames?: readonly string[] | undefined;
  readonly namespaced: boolean;
}

/** The resource that was found. */
export interface AskedResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Undefined when it is not served. */
  readonly namespaced: boolean | undefined;
}

const MAX_CANDIDATES = 5;

const wordsOf = ({ resource, group }: NamedResource): string => (group === '' ? resource : `${resource}.${group}`);
const isNamed = ({ resource, singular, shortNames }: NamedResource, word: string): boolean =>
  resource === word || singular === word || shortNames?.includes(word) === true;
const quoted = (words: readonly string[]): string => words.map((word) => JSON.stringify(word)).join(', ');

/**
 * Finds a resource by a name that people use: `pods`, `pod`, `po`, `deployments.apps`, `pods/log`,
 * `deployments.apps/scale`. The core group wins when several groups match.
 *
 * @param words the resource, optionally with its group after a dot and its subresource after a slash
 * @param served the served resources
 * @param group used as given; the resource then need not be served
 * @throws TypeError when no resource or several match; the message lists candidates
 */
export function resourceOfWords(words: string, served: readonly NamedResource[], group?: string): AskedResource {
  const slash = words.indexOf('/');
  const named = slash === -1 ? words : words.slice(0, slash);
  const subresource = slash === -1 ? '' : words.slice(slash + 1);
  if (group !== undefined) {
    const found = served.find((resource) => resource.group === group && isNamed(resource, named));
    return { group, resource: found?.resource ?? named, subresource, namespaced: found?.namespaced };
  }
  const point = named.indexOf('.');
  const word = point === -1 ? named : named.slice(0, point);
  const found = distinct(
    served.filter((resource) => isNamed(resource, word) && (point === -1 || resource.group === named.slice(point + 1))),
  );
  const one = found.length === 1 ? found[0] : found.find((resource) => resource.group === '');
  if (one !== undefined) return { group: one.group, resource: one.resource, subresource, namespaced: one.namespaced };
  if (found.length > 1)
    throw new TypeError(`${JSON.stringify(words)} is ambiguous; candidates are ${quoted(found.map(wordsOf))}`);
  throw new TypeError(
    `no resource ${JSON.stringify(words)} is served; nearest are ${quoted(nearestWords(named, served))}. A resource that is not served needs the option group`,
  );
}

/** Merges the versions of a resource. */
const distinct = (resources: readonly NamedResource[]): NamedResource[] => [
  ...new Map(resources.map((resource) => [wordsOf(resource), resource])).values(),
];

function nearestWords(words: string, served: readonly NamedResource[]): string[] {
  const distances = distancesFrom(words);
  return distinct(served)
    .map((resource) => ({
      text: wordsOf(resource),
      distance: Math.min(distances(resource.resource), distances(wordsOf(resource))),
    }))
    .sort((a, b) => a.distance - b.distance || (a.text < b.text ? -1 : 1))
    .slice(0, MAX_CANDIDATES)
    .map(({ text }) => text);
}
