import type { Attributes, Authorizer } from '../../src/authz/index.js';
import type { Storage } from '../../src/storage/index.js';

/** The meaning of a path, derived here independently; undefined for a path outside resources. */
export interface PathWords {
  readonly apiGroup: string;
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
}

/** The segments of a raw path, each decoded once; undefined if one cannot be decoded. */
export function decodedWords(path: string): readonly string[] | undefined {
  try {
    return path.split('/').slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/**
 * The words without the empty one after a trailing slash, which a resource's path may have and which means nothing
 * there.
 */
export function withoutSlash(words: readonly string[]): readonly string[] {
  const shortest = words[0] === 'api' ? 3 : words[0] === 'apis' ? 4 : Infinity;
  return words.at(-1) === '' && words.length > shortest ? words.slice(0, -1) : words;
}

/** The attributes with which a request on a resource must be authorized. */
export function wordsOf(sent: readonly string[]): PathWords | undefined {
  const words = withoutSlash(sent);
  const [root, second = ''] = words;
  if (root !== 'api' && root !== 'apis') return undefined;
  let rest = words.slice(root === 'api' ? 2 : 3);
  if (rest[0] === 'watch' || rest[0] === 'proxy') rest = rest.slice(1);
  const inside = rest[0] === 'namespaces' && rest.length > 2 && !['status', 'finalize'].includes(rest[2] ?? '');
  const namespace = rest[0] === 'namespaces' ? (rest[1] ?? '') : '';
  const [resource = '', name = '', subresource = ''] = inside ? rest.slice(2) : rest;
  return { apiGroup: root === 'api' ? '' : second, namespace, resource, name, subresource };
}

/** An authorizer that allows everything and records its questions. */
export function recorder(): { readonly asked: Attributes[]; readonly authorize: Authorizer } {
  const asked: Attributes[] = [];
  return {
    asked,
    authorize: (attributes) => {
      asked.push(attributes);
      return { decision: 'Allow', reason: '' };
    },
  };
}

/** Engine methods whose first parameter is a key or a prefix. */
const KEYED: ReadonlySet<string | symbol> = new Set(['get', 'list', 'create', 'update', 'delete']);

/** An engine that records the keys and prefixes of its calls. */
export function recordedStorage(storage: Storage): { readonly keys: string[]; readonly storage: Storage } {
  const keys: string[] = [];
  const proxy = new Proxy(storage, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      return (...parameters: unknown[]): unknown => {
        if (KEYED.has(property)) keys.push(String(parameters[0]));
        return Reflect.apply(value, target, parameters);
      };
    },
  });
  return { keys, storage: proxy };
}
