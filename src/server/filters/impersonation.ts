/**
 * Impersonation: a request that is made as somebody else (conventions.md, "Impersonation headers").
 *
 * @module
 */
import { ANONYMOUS_USER, AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP } from '../../authn/authenticator.js';
import { headerText, percentDecoded } from '../../authn/request-header/header-text.js';
import { parseServiceAccountUsername, serviceAccountGroups } from '../../authn/service-account-names.js';
import type { Attributes, Authorizer } from '../../authz/index.js';
import { errors } from '../../meta/api-error.js';
import type { UserInfo } from '../../meta/object.js';
import type { Dialect } from '../../names/dialect.js';
import type { RequestHeaders } from '../http.js';
import type { Filter } from '../request-scope.js';
import { requireAllowed, type RefusalLog } from './authorization.js';

const PREFIX = 'impersonate-';
const USER = 'impersonate-user';
const GROUP = 'impersonate-group';
const UID = 'impersonate-uid';
const EXTRA_PREFIX = 'impersonate-extra-';

/** What the headers of a request ask for. */
interface Wanted {
  readonly username: string;
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** One thing to be impersonated, in the terms of authorization. */
type Target = Pick<Attributes, 'apiGroup' | 'apiVersion' | 'resource' | 'subresource' | 'name'>;

/**
 * Makes the request one of the impersonated user, once the caller is allowed each thing that the headers name. The groups are
 * those of the headers alone; a service account without groups given has its own. Who asked stays in the scope, for audit.
 *
 * The permission is not limited to a namespace, service accounts' included. That is the contract's; production asks for
 * theirs in the account's namespace.
 *
 * Refuses with 403 in production's words, and with 400 what belongs to a user and comes without one.
 */
export function impersonation(authorize: Authorizer, dialect: Dialect, log: RefusalLog): Filter {
  const group = `authentication.${dialect.groupSuffix}`;
  return (next) => (scope) => {
    if (!scope.headers.hasPrefix(PREFIX)) return next(scope);
    const wanted = readWanted(scope.headers);
    if (wanted === undefined) return next(scope);
    const ask = (attributes: Attributes): Promise<void> => requireAllowed(authorize, attributes, log);
    return allowAll(ask, scope.user, targetsOf(wanted, group)).then(() => {
      scope.impersonate(impersonated(wanted));
      return next(scope);
    });
  };
}

/** @throws ApiError 400 when something belongs to a user and there is none */
function readWanted(headers: RequestHeaders): Wanted | undefined {
  const username = headerText(headers.getAll(USER)[0] ?? '');
  const groups = headers.getAll(GROUP).map(headerText);
  const uid = headerText(headers.getAll(UID)[0] ?? '');
  const extra = readExtra(headers);
  if (username !== '') return { username, groups, uid, extra };
  const without = [
    ...(groups.length === 0 ? [] : ['groups']),
    ...(uid === '' ? [] : ['a uid']),
    ...(extra.size === 0 ? [] : ['extra']),
  ];
  if (without.length > 0) throw errors.badRequest(`requested ${without.join(', ')} without impersonating a user`);
  return undefined;
}

/** Keys are lower-cased once they are decoded: two spellings of one key are one key. */
function readExtra(headers: RequestHeaders): Map<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const header of headers.names()) {
    if (!header.startsWith(EXTRA_PREFIX)) continue;
    const key = percentDecoded(header.slice(EXTRA_PREFIX.length)).toLowerCase();
    extra.set(key, [...(extra.get(key) ?? []), ...headers.getAll(header).map(headerText)]);
  }
  return extra;
}

/** Everything that needs a permission of its own, in production's order: user, groups, extra, uid. */
function* targetsOf({ username, groups, uid, extra }: Wanted, authenticationGroup: string): Generator<Target> {
  const core = { apiGroup: '', apiVersion: 'v1', subresource: '' };
  const account = parseServiceAccountUsername(username);
  yield account === undefined
    ? { ...core, resource: 'users', name: username }
    : { ...core, resource: 'serviceaccounts', name: account.name };
  for (const name of groups) yield { ...core, resource: 'groups', name };
  const own = { apiGroup: authenticationGroup, apiVersion: 'v1' };
  for (const [key, values] of extra)
    for (const name of values) yield { ...own, resource: 'userextras', subresource: key, name };
  if (uid !== '') yield { ...own, resource: 'uids', subresource: '', name: uid };
}

async function allowAll(
  ask: (attributes: Attributes) => Promise<void>,
  user: UserInfo,
  targets: Iterable<Target>,
): Promise<void> {
  for (const target of targets)
    await ask({ user, verb: 'impersonate', isResource: true, namespace: '', path: '', ...target });
}

function impersonated({ username, groups: given, uid, extra }: Wanted): UserInfo {
  const account = given.length > 0 ? undefined : parseServiceAccountUsername(username);
  const groups = account === undefined ? [...given] : serviceAccountGroups(account.namespace);
  if (username === ANONYMOUS_USER) {
    if (!groups.includes(UNAUTHENTICATED_GROUP)) groups.push(UNAUTHENTICATED_GROUP);
  } else if (!groups.includes(AUTHENTICATED_GROUP) && !groups.includes(UNAUTHENTICATED_GROUP)) {
    groups.push(AUTHENTICATED_GROUP);
  }
  return {
    username,
    groups,
    ...(uid === '' ? {} : { uid }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}
