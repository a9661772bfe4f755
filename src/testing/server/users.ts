import type { Client, ClientOptions, KubeConfigOptions } from '../../client/index.js';
import { definedOnly, encodeHex, shown, suggestion, type Entropy, type UserInfo } from '../../foundation/index.js';
import { Namespace } from '../../kinds/index.js';
import { userOf, type StaticToken } from '../../security/index.js';
import type { TestCore } from './core.js';
import type { TestServerOptions } from './test-options.js';

/** The users of a test. */
export interface TestUsers {
  /**
   * Returns a client that acts as a user, whose requests are authorized.
   *
   * @param user a user of the option `users`; or a name that begins with `system:`, such as that of a service account
   * @throws TypeError for any other name
   */
  as(user: string, options?: Omit<ClientOptions, 'user'>): Client;
  /**
   * Returns the bearer token of a user, for requests over HTTP.
   *
   * @throws TypeError for a name that is not in the option `users`
   */
  token(user: string): string;
  /**
   * Returns a kubeconfig (YAML) of a user.
   *
   * @throws TypeError for a name that is not in the option `users`
   */
  kubeConfig(user: string, options?: Omit<KubeConfigOptions, 'token'>): string;
}

/** Returns the tokens of the users. */
export function tokensOfUsers(users: TestServerOptions['users'] = {}, entropy: Entropy): StaticToken[] {
  return Object.entries(users).map(([name, { groups, uid, extra }]) => {
    const user: UserInfo = { ...userOf(name, groups), ...definedOnly({ uid, extra }) };
    return { token: encodeHex(entropy.bytes(16)), user };
  });
}

/**
 * Lets the server prepare its decisions, which it does for the first request of a user: forks then have them already.
 */
export async function prepareUsers(core: TestCore): Promise<void> {
  const [user] = Object.keys(core.options.users ?? {});
  if (user === undefined) return;
  const namespaces = userPart(core).as(user).resource(Namespace);
  // Whether the user may read is not known here.
  await namespaces.list({ limit: 1 }).catch(() => undefined);
}

/** Returns the members about users. */
export function userPart(core: TestCore): TestUsers {
  const { users = {}, authentication } = core.options;
  const { tokens = [] } = authentication ?? {};
  const find = (name: string): StaticToken => {
    const found = Object.hasOwn(users, name) ? tokens.find(({ user }) => user.username === name) : undefined;
    if (found !== undefined) return found;
    throw new TypeError(
      `there is no user ${shown(name)} in this test${suggestion(name, Object.keys(users))} Users are named in startTestServer({ users: { alice: { groups: ['developers'] } } })`,
    );
  };
  return {
    as: (name, options = {}) =>
      core.server.client({
        ...options,
        user: typeof name === 'string' && name.startsWith('system:') ? name : find(name).user,
      }),
    token: (name) => find(name).token,
    kubeConfig: (name, options = {}) => core.server.kubeConfig({ name, ...options, token: find(name).token }),
  };
}
