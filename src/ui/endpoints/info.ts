import { ANONYMOUS_USER } from '../../security/index.js';
import { jsonAnswer, type PageEndpoint } from './call.js';

/** `GET /ui/v1/info`: the dialect, how to sign in, who is signed in, and which store the server has. */
export const info: PageEndpoint = {
  method: 'GET',
  async answer({ scope, parts }) {
    const { username, groups } = scope.user;
    const signIn = { token: true, certificate: scope.peer.tls };
    const known =
      username === ANONYMOUS_USER
        ? {}
        : { user: { username, groups }, now: parts.clock.now(), storeId: await parts.storeId() };
    return jsonAnswer({ dialect: parts.dialect.name, groupSuffix: parts.dialect.groupSuffix, signIn, ...known });
  },
};
