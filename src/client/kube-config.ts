import {
  aName,
  aText,
  checkOptions,
  definedOnly,
  encodeBase64Text,
  matching,
  type OptionChecks,
} from '../foundation/index.js';
import { encodeYaml } from '../server/index.js';

/** Options of a kubeconfig. */
export interface KubeConfigOptions {
  /**
   * URL of the server; default a URL that only in-process adapters understand. Clients based on client-go, such as
   * kubectl, send the token only to https, so they are anonymous at a URL of http.
   */
  readonly server?: string | undefined;
  /** Certificate authority of the server's certificate, in PEM. */
  readonly certificateAuthority?: string | undefined;
  /** Bearer token; default the owner's. */
  readonly token?: string | undefined;
  /** Default namespace. */
  readonly namespace?: string | undefined;
  /** Name of cluster, context and user. */
  readonly name?: string | undefined;
}

/** URL of a server without a socket. */
export const IN_PROCESS_URL = 'https://in-process.invalid';

/** Returns the trust settings. Some clients (client-node) refuse `http:` without `insecure-skip-tls-verify`. */
function trust(server: string, certificateAuthority: string | undefined): Record<string, string | boolean> {
  if (certificateAuthority !== undefined)
    return { 'certificate-authority-data': encodeBase64Text(certificateAuthority) };
  return server.startsWith('http:') ? { 'insecure-skip-tls-verify': true } : {};
}

const checks: OptionChecks<KubeConfigOptions> = {
  server: matching(
    'the URL of a listener: https://… or http://…',
    (value) => typeof value === 'string' && /^https?:\/\/./.test(value),
  ),
  certificateAuthority: matching(
    'a certificate in PEM (-----BEGIN CERTIFICATE-----), not a file name',
    (value) => typeof value === 'string' && value.includes('-----BEGIN CERTIFICATE-----'),
  ),
  token: aName,
  namespace: aText,
  name: aName,
};

/** Checks the options of a kubeconfig. @throws TypeError that names the option */
export function checkKubeConfigOptions(options: KubeConfigOptions): void {
  checkOptions('kubeConfig', options, checks);
}

/** Returns a kubeconfig (YAML) with one cluster, one user and one context. */
export function kubeConfigOf(options: KubeConfigOptions): string {
  const { server = IN_PROCESS_URL, certificateAuthority, token, namespace, name = 'default' } = options;
  return encodeYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, ...trust(server, certificateAuthority) } }],
    users: [{ name, user: token === undefined ? {} : { token } }],
    contexts: [{ name, context: { cluster: name, user: name, ...definedOnly({ namespace }) } }],
    'current-context': name,
  });
}
