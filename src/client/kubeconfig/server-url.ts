import { goQuote } from '../../foundation/index.js';
import { KubeConfigError } from './errors.js';

/** Address of a server. */
export interface ServerAddress {
  /** Base URL of every request, without query, fragment and trailing slash. */
  readonly url: URL;
  /** The URL that plugins receive. */
  readonly pluginText: string;
}

/**
 * Parses the `server` of a cluster: a URL, or a host with optional port, which uses HTTP as in Kubernetes.
 *
 * @throws KubeConfigError when it is invalid, or contains a user name or password
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
  // Plugins receive the server as written, without query and fragment.
  const pluginText = url.pathname.length > 1 ? server.replace(/[?#].*$/s, '') : server;
  url.search = '';
  url.hash = '';
  url.pathname = url.pathname.replace(/\/+$/, '');
  return { url, pluginText };
}
