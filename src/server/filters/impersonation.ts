/**
 * Impersonation: a request on behalf of another user (conventions.md, "Impersonation headers").
 *
 * @module
 */
import {
  appendTo,
  errors,
  frozenUser,
  parseServiceAccountUsername,
  serviceAccountGroups,
  shareTurn,
  type Clock,
  type Dialect,
  type UserInfo,
} from '../../foundation/index.js';
import {
  ANONYMOUS_USER,
  AUTHENTICATED_GROUP,
  headerText,
  percentDecoded,
  UNAUTHENTICATED_GROUP,
  type Attributes,
  type Authorizer,
} from '../../security/index.js';
import type { RequestHeaders } from '../requests/http.js';
import type { Filter } from '../requests/request-scope.js';
import { requireAllowed, type RefusalLog } from './authorization.js';

const PREFIX = 'impersonate-';
const USER = 'impersonate-user';
const GROUP = 'impersonate-group';
const UID = 'impersonate-uid';
const EXTRA_PREFIX = 'impersonate-extra-';

/** The user that the headers of a request describe. */
interface ImpersonatedUser {
  readonly username: string;
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** A user, group, uid or extra value to impersonate, as authorization attributes. */
type Target = Pick<Attributes, 'apiGroup' | 'apiVersion' | 'resource' | 'subresource' | 'name'>;

/**
 * Replaces the user of a request by the impersonated user, after the caller has been authorized for each value in the
 * headers. The groups come from the headers only; a service account without such headers gets its usual groups. The
 * scope keeps the caller for audit.
 *
 * The permission must be cluster-wide, even for service accounts. The contract requires this; Kubernetes checks service
 * accounts in their own namespace.
 *
 * Refuses with 403 in Kubernetes' words, and with 400 when groups, uid or extra come without a user.
 */
export function impersonation(authorize: Authorizer, dialect: Dialect, log: RefusalLog, clock: Clock): Filter {
  const group = `authentication.${dialect.groupSuffix}`;
  return (next) => (scope) => {
    if (!scope.headers.hasPrefix(PREFIX)) return next(scope);
    const target = readHeaders(scope.headers);
    if (target === undefined) return next(scope);
    const authorizeTarget = (attributes: Attributes): Promise<void> => requireAllowed(authorize, attributes, log);
    return authorizeAll(authorizeTarget, scope.user, targetsOf(target, group)).then(() => {
      scope.impersonate(frozenUser(userInfoOf(target)));
      scope.audit?.impersonated(scope.user);
      scope.momentMs = clock.now();
      return next(scope);
    });
  };
}

/** @throws ApiError 400 for groups, uid or extra without a user */
function readHeaders(headers: RequestHeaders): ImpersonatedUser | undefined {
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

/** Reads the extra fields. Keys are lower-cased after decoding, so two spellings are one key. */
function readExtra(headers: RequestHeaders): Map<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const header of headers.names()) {
    if (!header.startsWith(EXTRA_PREFIX)) continue;
    const key = percentDecoded(header.slice(EXTRA_PREFIX.length)).toLowerCase();
    for (const value of headers.getAll(header)) appendTo(extra, key, headerText(value));
  }
  return extra;
}

/** Yields the values that each need a permission, in Kubernetes' order: user, groups, extra, uid. */
function* targetsOf(
  { username, groups, uid, extra }: ImpersonatedUser,
  authenticationGroup: string,
): Generator<Target> {
  const core = { apiGroup: '', apiVersion: 'v1', subresource: '' };
  const account = parseServiceAccountUsername(username);
  yield account === undefined
    ? { ...core, resource: 'users', name: username }
    : { ...core, resource: 'serviceaccounts', name: account.name };
  for (const name of groups) yield { ...core, resource: 'groups', name };
  const authentication = { apiGroup: authenticationGroup, apiVersion: 'v1' };
  for (const [key, values] of extra)
    for (const name of values) yield { ...authentication, resource: 'userextras', subresource: key, name };
  if (uid !== '') yield { ...authentication, resource: 'uids', subresource: '', name: uid };
}

async function authorizeAll(
  authorizeTarget: (attributes: Attributes) => Promise<void>,
  user: UserInfo,
  targets: Iterable<Target>,
): Promise<void> {
  for (const target of targets) {
    const turn = shareTurn();
    if (turn !== undefined) await turn;
    await authorizeTarget({ user, verb: 'impersonate', isResource: true, namespace: '', path: '', ...target });
  }
}

function userInfoOf({ username, groups: given, uid, extra }: ImpersonatedUser): UserInfo {
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
