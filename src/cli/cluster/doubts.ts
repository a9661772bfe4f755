import { didYouMean } from '../did-you-mean.js';
import type { WantedResource } from './known-resources.js';

/** The verbs of requests for resources, and those that a server asks for besides. `*` asks for all of them. */
const RESOURCE_VERBS = [
  ...['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
  ...['use', 'bind', 'escalate', 'impersonate', 'approve', 'sign', 'attest', '*'],
];
/** The verbs of requests for paths: the methods of HTTP. */
const PATH_VERBS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', '*'];

/**
 * Warns of a verb that is probably a mistake. Roles may have verbs of their own, so a verb that a role names is not a mistake.
 *
 * @param verbs the verbs of the roles that count
 */
export function unknownVerb(verb: string, of: 'resource' | 'path', verbs: ReadonlySet<string>): readonly string[] {
  const known = of === 'resource' ? RESOURCE_VERBS : PATH_VERBS;
  if (known.includes(verb) || verbs.has(verb)) return [];
  const words = [...known, ...verbs].filter((word) => word !== '*');
  return [
    `${JSON.stringify(verb)} is not a verb of requests for a ${of}, and no role that counts here names it${didYouMean(verb, words)}`,
  ];
}

/**
 * Warns of a resource that the server does not have, and of a namespace for what has none.
 *
 * @param words the resource or path as it was asked for
 * @param found the resource; undefined for a path
 * @param namespace as it was asked for; empty for none
 */
export function withoutEffect(words: string, found: WantedResource | undefined, namespace: string): readonly string[] {
  if (found !== undefined && found.namespaced === undefined)
    return [`${JSON.stringify(words)} is not a resource that the server has`];
  if (found?.namespaced === true || namespace === '') return [];
  return [`${JSON.stringify(words)} has no namespace: --namespace has no effect`];
}
