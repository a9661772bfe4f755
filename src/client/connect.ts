import { loading } from '../foundation/index.js';
import type { Client } from './client.js';
import type { KubeConfig } from './kubeconfig/config.js';
import { connectByFetch, type FetchTarget } from './wire/connect-fetch.js';
import type { ConnectOptions } from './wire/connect-options.js';
import type { TokenSource } from './wire/token.js';

/** The server of a kubeconfig. */
export interface KubeConfigSource {
  /**
   * Path of a file, its content, or a configuration. Default: the files of `KUBECONFIG`, the file in the home directory, or
   * in a pod its service account; by the names of the dialect.
   */
  readonly kubeconfig?: string | KubeConfig | undefined;
  /** Name of the context; default the current one. */
  readonly context?: string | undefined;
}

/** A server with its URL. */
export interface UrlTarget {
  /** URL of the server, with a path if it is not at the root. */
  readonly url: string | URL;
  /** Bearer token, or a function that returns the current one; called for each request. */
  readonly token?: TokenSource | undefined;
  /** Client certificate with its intermediates, and its key, in PEM. */
  readonly certificate?: { readonly certificate: string; readonly key: string } | undefined;
  /** Certificate authorities of the server, in PEM; default those of the host. */
  readonly authority?: string | undefined;
}

/** A server that `connect` connects to. */
export type ConnectTarget = KubeConfigSource | UrlTarget | FetchTarget;

/**
 * Connects to a server. Reads the files of a configuration; sends nothing before the first call.
 *
 * ```
 * await using client = await connect(); // as kubectl does, or in a pod its account
 * const client = await connect({ url: 'https://cluster.example', token });
 * const client = await connect({ url: location.origin, fetch }); // in a browser
 * ```
 *
 * Over plaintext HTTP, credentials are sent to loopback addresses only.
 *
 * @param target default: the kubeconfig of the environment, or in a pod its service account
 * @throws TypeError for invalid options; KubeConfigError and CredentialError for configurations that cannot be used
 */
export async function connect(target: ConnectTarget = {}, options: ConnectOptions = {}): Promise<Client> {
  if ('fetch' in target) return connectByFetch(target, options);
  const { connectOnNode } = await loading(import('./kubeconfig/connect-node.js'));
  return connectOnNode(target, options);
}
