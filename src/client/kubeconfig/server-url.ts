import { goQuote } from '../../meta/index.js';
import { KubeConfigError } from './errors.js';

/** Where a server is. */
export interface ServerAddress {
  /** Base of every request: no query, no fragment, and no slash at the end of the path. */
  readonly url: URL;
  /** The same as plugins are told it. */
  readonly told: string;
}

/**
 * Reads the `server` of a cluster: a URL, or a host with or without a port, which is reached over http as in the production
 * system.
 *
 * @throws KubeConfigError when it is neither, or has a user name or password in it
 */
export function serverAddress(server: string, clusterName: string): ServerAddress {
  const complete = /^[a-z][-+.a-z0-9]*:\/\//i.test(server);
  const text = complete ? server : `http://${server}`;
  const wrong = (why: string): never => {
    throw new KubeConfigError(`the server of cluster ${goQuote(clusterName)} ${why}`);
  };
  if (!URL.canParse(text)) return wrong('must be a URL or a host:port pair');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return wrong('must begin with https:// or http://');
  if (url.username !== '' || url.password !== '') return wrong('must not have a user name or password in its URL');
  if (!complete && url.pathname !== '/') return wrong('must be a URL or a host:port pair');
  // A path stays as it was written for plugins; a bare host is told as it stands.
  const told = url.pathname.length > 1 ? server.replace(/[?#].*$/s, '') : server;
  url.search = '';
  url.hash = '';
  url.pathname = url.pathname.replace(/\/+$/, '');
  return { url, told };
}

/**
 * The URL of a request: the path is put behind that of the server.
 *
 * @param path empty for the server's own, else beginning with a slash; with a query if there is one
 * @throws TypeError for another path
 */
export function requestUrl(base: URL, path: string): string {
  if (path !== '' && !path.startsWith('/')) throw new TypeError('the path of a request begins with a slash');
  return `${base.origin}${base.pathname.replace(/\/$/, '')}${path}`;
}
