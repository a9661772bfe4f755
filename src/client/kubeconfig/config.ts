/**
 * A client configuration (kubeconfig): clusters, users, and contexts that combine them.
 *
 * The names are those of the file in camel case. Empty fields are undefined, and paths are absolute.
 *
 * @module
 */
import type { JsonValue } from '../../foundation/index.js';

/** One or several files, merged. */
export interface KubeConfig {
  readonly clusters: ReadonlyMap<string, KubeCluster>;
  readonly users: ReadonlyMap<string, KubeUser>;
  readonly contexts: ReadonlyMap<string, KubeContext>;
  /** `current-context`. */
  readonly currentContext?: string | undefined;
}

/** Address of a server, and how to verify it. */
export interface KubeCluster {
  /** URL of the server, with a path if the server is not at the root. */
  readonly server?: string | undefined;
  /** `tls-server-name`: expected name in the server's certificate; default the host of the URL. */
  readonly tlsServerName?: string | undefined;
  /** `insecure-skip-tls-verify`. */
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** `certificate-authority`: file of the certificate authorities of the server. */
  readonly certificateAuthority?: string | undefined;
  /** `certificate-authority-data`, decoded to PEM. Takes precedence over the file. */
  readonly certificateAuthorityData?: string | undefined;
  /** `proxy-url`; not supported by connections. */
  readonly proxyUrl?: string | undefined;
  /** `disable-compression`; passed to plugins. */
  readonly disableCompression?: boolean | undefined;
  /** `extensions` by name. */
  readonly extensions?: ReadonlyMap<string, JsonValue> | undefined;
}

/** Credentials of a user. */
export interface KubeUser {
  /** `client-certificate` and `client-key`: files. */
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  /** `client-certificate-data` and `client-key-data`, decoded to PEM. They take precedence over the files. */
  readonly clientCertificateData?: string | undefined;
  readonly clientKeyData?: string | undefined;
  readonly token?: string | undefined;
  /** File of a token. The last token read from it takes precedence over `token`. */
  readonly tokenFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** `as`: the user to impersonate. */
  readonly impersonate?: string | undefined;
  /** `as-uid`. */
  readonly impersonateUid?: string | undefined;
  /** `as-groups`. */
  readonly impersonateGroups?: readonly string[] | undefined;
  /** `as-user-extra`. */
  readonly impersonateUserExtra?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Name of the `auth-provider`. Connections support `oidc`. */
  readonly authProvider?: string | undefined;
  /** Configuration of the `auth-provider`; undefined when it is empty. */
  readonly authProviderConfig?: AuthProviderConfig | undefined;
  readonly exec?: ExecConfig | undefined;
}

/** The configuration of an auth provider. */
export interface AuthProviderConfig {
  /** The values by name, such as `idp-issuer-url`. */
  readonly config: ReadonlyMap<string, string>;
  /** Where new tokens are written back; undefined for a configuration that is not from a file. */
  readonly source?: UserSource | undefined;
}

/** An entry of a user in a file. */
export interface UserSource {
  /** Path of the file. */
  readonly file: string;
  /** Name of the user. */
  readonly user: string;
}

/** A cluster, a user, and a default namespace. */
export interface KubeContext {
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
}

/** A command that prints credentials. */
export interface ExecConfig {
  /** A name in `PATH`, or a path. */
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  /** Added to the environment of this process. */
  readonly env?: readonly { readonly name: string; readonly value: string }[] | undefined;
  /** `client.authentication.<group suffix>/v1` or `v1beta1`. The plugin responds in the same version. */
  readonly apiVersion?: string | undefined;
  /** Shown when the command is not found. */
  readonly installHint?: string | undefined;
  /** Whether the plugin receives the cluster. */
  readonly provideClusterInfo?: boolean | undefined;
  /** Whether the plugin gets standard input: `Never`, `IfAvailable` or `Always`. */
  readonly interactiveMode?: string | undefined;
}
