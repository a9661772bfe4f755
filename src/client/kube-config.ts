import { encodeBase64Text } from '../encoding/base64.js';
import { encodeYaml } from '../codec/index.js';

/** How a server is reached, and as whom. */
export interface KubeConfigOptions {
  /** URL of the server; default one that only an in-process adapter understands. */
  readonly server?: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly certificateAuthority?: string;
  /** Bearer token; default the owner's. */
  readonly token?: string;
  /** Namespace where none is given. */
  readonly namespace?: string;
  /** Name of cluster, context and user. */
  readonly name?: string;
}

/** Address of a server that is reached without a socket. */
export const IN_PROCESS_URL = 'https://in-process.invalid';

/** How clients trust the server. Over `http:` some (client-node) refuse to talk unless told that nothing is verified. */
function trust(server: string, certificateAuthority: string | undefined): Record<string, string | boolean> {
  if (certificateAuthority !== undefined)
    return { 'certificate-authority-data': encodeBase64Text(certificateAuthority) };
  return server.startsWith('http:') ? { 'insecure-skip-tls-verify': true } : {};
}

/** The text of a kubeconfig with one cluster, one user and one context. */
export function kubeConfigOf(options: KubeConfigOptions): string {
  const { server = IN_PROCESS_URL, certificateAuthority, token, namespace, name = 'default' } = options;
  return encodeYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, ...trust(server, certificateAuthority) } }],
    users: [{ name, user: token === undefined ? {} : { token } }],
    contexts: [{ name, context: { cluster: name, user: name, ...(namespace === undefined ? {} : { namespace }) } }],
    'current-context': name,
  });
}
