/**
 * Which requests a rule concerns.
 *
 * @module
 */
import {
  aBoolean,
  aCount,
  checkOptions,
  isJsonObject,
  shown,
  stringOrEmpty,
  suggestion,
  type OptionCheck,
  type OptionChecks,
} from '../../foundation/index.js';
import type { ServedResource } from '../../registry/index.js';
import { resourceOfWords } from '../../security/index.js';
import type { InterceptedRequest } from '../../server/index.js';

/** The verbs of the API, and of non-resource paths. */
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'proxy'] as const;
/** Words for several verbs, or for one use of a verb. */
const VERB_WORDS: Readonly<Record<Exclude<FaultVerb, (typeof VERBS)[number]>, string>> = {
  apply: 'a patch that is a server-side apply',
  read: 'get, list and watch',
  write: 'create, update, patch, delete and deletecollection',
};

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const APPLY = /apply-patch\+/;

/**
 * A verb of a request, or a word for several: `apply` is a server-side apply, which is also a `patch`; `read` is get, list
 * and watch; `write` is create, update, patch, delete and deletecollection.
 */
export type FaultVerb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  | 'proxy'
  | 'apply'
  | 'read'
  | 'write';

/**
 * The requests that a rule concerns. Absent members match everything. In `namespace`, `name`, `user` and `path` a `*`
 * stands for any characters.
 */
export interface FaultMatch {
  readonly verb?: FaultVerb | readonly FaultVerb[] | undefined;
  /**
   * Resources by name, as kubectl takes them: `pods`, `deployments.apps`, `cm`. They include their subresources;
   * `pods/status` names one subresource.
   */
  readonly resource?: string | readonly string[] | undefined;
  readonly namespace?: string | readonly string[] | undefined;
  /** Name of the object; for a create, the name in the object. */
  readonly name?: string | readonly string[] | undefined;
  /** Name of the user. */
  readonly user?: string | readonly string[] | undefined;
  /** Decoded path of the request: `/version`. */
  readonly path?: string | readonly string[] | undefined;
  /** Number of matching requests that the rule lets pass before it strikes. Default 0. */
  readonly after?: number | undefined;
  /** Maximum number of requests that the rule strikes. Default no limit. */
  readonly times?: number | undefined;
  /** Whether the rule also concerns the requests of the server's own controllers. Default false. */
  readonly controllers?: boolean | undefined;
}

const aTextOrTexts: OptionCheck = (value, path) => {
  const texts = Array.isArray(value) ? value : [value];
  return texts.length > 0 && texts.every((text) => typeof text === 'string' && text !== '')
    ? undefined
    : `the option ${path} must be a string, or a list of strings, that are not empty, got ${shown(value)}; leave it out to match everything`;
};

const aVerb: OptionCheck = (value, path) => {
  const known = [...VERBS, ...Object.keys(VERB_WORDS)];
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const unknown = given.find((verb) => typeof verb !== 'string' || !known.includes(verb));
  if (unknown === undefined) return undefined;
  const hint = typeof unknown === 'string' ? suggestion(unknown, known) : '';
  return `the option ${path}: there is no verb ${shown(unknown)}${hint}; verbs are ${VERBS.join(', ')}, and ${Object.entries(
    VERB_WORDS,
  )
    .map(([word, meaning]) => `${word} (${meaning})`)
    .join(', ')}`;
};

/** Checks of the members of a match. */
export const matchChecks: OptionChecks<FaultMatch> = {
  verb: aVerb,
  resource: aTextOrTexts,
  namespace: aTextOrTexts,
  name: aTextOrTexts,
  user: aTextOrTexts,
  path: aTextOrTexts,
  after: aCount('requests'),
  times: aCount('requests', 1),
  controllers: aBoolean,
};

/** Returns whether a request is one that a rule concerns; a promise when that depends on the body. */
export type RequestFilter = (request: InterceptedRequest) => boolean | Promise<boolean>;

/**
 * Compiles a match.
 *
 * @param subject start of the errors: the call that has the match
 * @param served the kinds that the server serves
 * @throws TypeError for an unknown member, verb or resource, with what to write instead
 */
export function requestFilter(subject: string, match: FaultMatch, served: readonly ServedResource[]): RequestFilter {
  checkOptions(subject, match, matchChecks);
  const concerns = factsFilter(subject, match, served);
  const named = match.name === undefined ? undefined : wildcards(match.name);
  return (request) => {
    if (!concerns(request)) return false;
    if (named === undefined) return true;
    if (request.name !== '' || request.verb !== 'create') return named(request.name);
    return request.body().then((body) => named(nameIn(body)));
  };
}

/** The parts of a request that a match is about, without its name. */
export type MatchedFacts = Pick<
  InterceptedRequest,
  'via' | 'verb' | 'isResource' | 'group' | 'resource' | 'subresource' | 'namespace' | 'user' | 'path' | 'contentType'
>;

/** Does the same as {@link requestFilter} for checked members, without the name. */
export function factsFilter(
  subject: string,
  match: FaultMatch,
  served: readonly ServedResource[],
): (request: MatchedFacts) => boolean {
  const { controllers = false } = match;
  const tests = [
    verbTest(match.verb),
    resourceTest(subject, match.resource, served),
    textTest(match.namespace, ({ namespace }) => namespace),
    textTest(match.user, ({ user }) => user.username),
    textTest(match.path, ({ path }) => path),
  ].filter((test) => test !== undefined);
  return (request) =>
    request.via !== 'server' && (controllers || request.via !== 'controllers') && tests.every((test) => test(request));
}

type Test = (request: MatchedFacts) => boolean;

function verbTest(verbs: FaultMatch['verb']): Test | undefined {
  if (verbs === undefined) return undefined;
  const wanted = new Set<string>(listed(verbs));
  return ({ verb, contentType }) =>
    wanted.has(verb) ||
    (wanted.has('read') && READS.has(verb)) ||
    (wanted.has('write') && WRITES.has(verb)) ||
    (wanted.has('apply') && verb === 'patch' && APPLY.test(contentType));
}

function resourceTest(
  subject: string,
  words: FaultMatch['resource'],
  served: readonly ServedResource[],
): Test | undefined {
  if (words === undefined) return undefined;
  const wanted = listed(words).map((word) => askedResource(subject, word, served));
  return ({ isResource, group, resource, subresource }) =>
    isResource &&
    wanted.some(
      (asked) =>
        asked.group === group &&
        asked.resource === resource &&
        (asked.subresource === '' || asked.subresource === subresource),
    );
}

function askedResource(
  subject: string,
  word: string,
  served: readonly ServedResource[],
): ReturnType<typeof resourceOfWords> {
  let asked: ReturnType<typeof resourceOfWords>;
  try {
    asked = resourceOfWords(word, served);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const reason = error.message.replace(/ A resource that is not served.*$/, '');
    throw new TypeError(
      `${subject}: the option resource: ${reason} Create the definition of a custom kind before its rules`,
    );
  }
  const { group, resource, subresource } = asked;
  const known = served.filter((one) => one.group === group && one.resource === resource);
  if (subresource !== '' && !known.some(({ subresources }) => subresources.includes(subresource)))
    throw new TypeError(
      `${subject}: the option resource: ${resource} has no subresource ${shown(subresource)}; it has ${[...new Set(known.flatMap(({ subresources }) => subresources))].join(', ') || 'none'}`,
    );
  return asked;
}

function textTest(
  patterns: string | readonly string[] | undefined,
  textOf: (request: MatchedFacts) => string,
): Test | undefined {
  if (patterns === undefined) return undefined;
  const matches = wildcards(patterns);
  return (request) => matches(textOf(request));
}

/** Returns whether a text is one of the patterns, in which a `*` stands for any characters. */
export function wildcards(patterns: string | readonly string[]): (text: string) => boolean {
  const tests = listed(patterns).map((pattern) => {
    if (!pattern.includes('*')) return (text: string) => text === pattern;
    const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
    const expression = new RegExp(`^${parts.join('.*')}$`, 's');
    return (text: string) => expression.test(text);
  });
  return (text) => tests.some((test) => test(text));
}

/** Returns the name of an object in a body; empty without one. */
export function nameIn(body: unknown): string {
  const metadata = isJsonObject(body) ? body['metadata'] : undefined;
  const name = isJsonObject(metadata) ? metadata['name'] : undefined;
  return stringOrEmpty(name);
}

const listed = <Text extends string>(texts: Text | readonly Text[]): readonly Text[] =>
  typeof texts === 'string' ? [texts] : texts;
