import { encodeBase64Text } from '../encoding/base64.js';
import { encodeYaml } from '../codec/index.js';
import { definedOnly } from '../meta/defined-only.js';
import { aName, aText, checkOptions, matching, type OptionChecks } from '../meta/options.js';

/** How a server is reached, and as whom. */
export interface KubeConfigOptions {
  /** URL of the server; default one that only an in-process adapter understands. */
  readonly server?: string | undefined;
  /** PEM of the authority that signed the server's certificate. */
  readonly certificateAuthority?: string | undefined;
  /** Bearer token; default the owner's. */
  readonly token?: string | undefined;
  /** Namespace where none is given. */
  readonly namespace?: string | undefined;
  /** Name of cluster, context and user. */
  readonly name?: string | undefined;
}

/** Address of a server that is reached without a socket. */
export const IN_PROCESS_URL = 'https://in-process.invalid';

/** How clients trust the server. Over `http:` some (client-node) refuse to talk unless told that nothing is verified. */
function trust(server: string, certificateAuthority: string | undefined): Record<string, string | boolean> {
  if (certificateAuthority !== undefined)
    return { 'certificate-authority-data': encodeBase64Text(certificateAuthority) };
  return server.startsWith('http:') ? { 'insecure-skip-tls-verify': true } : {};
}

const checks: OptionChecks<KubeConfigOptions> = {
  server: matching(
    'the URL of the server, as a listener has it: https://… or http://…',
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

/** The text of a kubeconfig with one cluster, one user and one context. */
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
