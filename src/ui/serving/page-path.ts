import { isPageEndpoint } from '../../server/index.js';

/** Where the page is, below the root of the server. */
const ROOT = '/ui';

/** Path of the sessions of the page. */
export const SESSION_PATH = '/ui/v1/session';

/** Path that begins a sign-in by an OpenID provider. */
export const OIDC_PATH = '/ui/v1/oidc';

/** Path of the streams of the page over WebSocket. */
export const STREAM_PATH = '/ui/v1/stream';

/** Path of the endpoint that tells how to sign in, and who is signed in. */
export const INFO_PATH = '/ui/v1/info';

/** Returns whether a path belongs to the page, not to the server: `/ui`, and what is below it, but not `/ui/v1/…`. */
export const isPagePath = (path: string): boolean =>
  path.startsWith(ROOT) &&
  (path.length === ROOT.length || (path.charCodeAt(ROOT.length) === 0x2f && !isPageEndpoint(path)));

/** Returns the path below the page: empty for `/ui/`; undefined for `/ui`, whose links would be relative to its parent. */
export const pathBelowPage = (path: string): string | undefined =>
  path.length === ROOT.length ? undefined : path.slice(ROOT.length + 1);
