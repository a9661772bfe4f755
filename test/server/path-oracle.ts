import type { Attributes, Authorizer } from '../../src/security/authz/index.js';
import { decorateStorage, type Storage } from '../../src/entries/storage.js';

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

/** An engine that records the keys and prefixes of its calls. */
export function recordedStorage(inner: Storage): { readonly keys: string[]; readonly storage: Storage } {
  const keys: string[] = [];
  const recorded = <Given extends [key: string, ...rest: unknown[]], Result>(
    call: (...given: Given) => Result,
  ): ((...given: Given) => Result) => {
    return (...given) => {
      keys.push(given[0]);
      return call.apply(inner, given);
    };
  };
  const storage = decorateStorage(inner, {
    get: recorded(inner.get),
    list: recorded(inner.list),
    create: recorded(inner.create),
    update: recorded(inner.update),
    delete: recorded(inner.delete),
  });
  return { keys, storage };
}
