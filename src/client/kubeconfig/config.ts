/**
 * A client configuration: which servers there are, who one is to them, and which of both belong together.
 *
 * The words are those of the file with their hyphens gone. What a file leaves empty is undefined here, and paths are those
 * of the file made absolute.
 *
 * @module
 */
import type { JsonValue } from '../../meta/index.js';

/** One or several files, merged. */
export interface KubeConfig {
  readonly clusters: ReadonlyMap<string, KubeCluster>;
  readonly users: ReadonlyMap<string, KubeUser>;
  readonly contexts: ReadonlyMap<string, KubeContext>;
  /** `current-context`. */
  readonly currentContext?: string | undefined;
}

/** How a server is reached, and how it is known to be the right one. */
export interface KubeCluster {
  /** URL, with a path where the server is not at the root. */
  readonly server?: string | undefined;
  /** `tls-server-name`: the name that the server's certificate must have; default the host of the URL. */
  readonly tlsServerName?: string | undefined;
  /** `insecure-skip-tls-verify`. */
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** `certificate-authority`: file with the authorities of the server's certificate. */
  readonly certificateAuthority?: string | undefined;
  /** `certificate-authority-data`, decoded: PEM. Goes before the file. */
  readonly certificateAuthorityData?: string | undefined;
  /** `proxy-url`; a connection refuses it. */
  readonly proxyUrl?: string | undefined;
  /** `disable-compression`; told to plugins. */
  readonly disableCompression?: boolean | undefined;
  /** `extensions` by name. */
  readonly extensions?: ReadonlyMap<string, JsonValue> | undefined;
}

/** Who one is to a server. */
export interface KubeUser {
  /** `client-certificate` and `client-key`: files. */
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  /** `client-certificate-data` and `client-key-data`, decoded: PEM. They go before the files. */
  readonly clientCertificateData?: string | undefined;
  readonly clientKeyData?: string | undefined;
  readonly token?: string | undefined;
  /** File with a token. What was read last goes before `token`. */
  readonly tokenFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** `as`: the user to act as. */
  readonly impersonate?: string | undefined;
  /** `as-uid`. */
  readonly impersonateUid?: string | undefined;
  /** `as-groups`. */
  readonly impersonateGroups?: readonly string[] | undefined;
  /** `as-user-extra`. */
  readonly impersonateUserExtra?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Name of the `auth-provider`; a connection refuses it. */
  readonly authProvider?: string | undefined;
  readonly exec?: ExecConfig | undefined;
}

/** A server, a user of it, and a namespace to work in. */
export interface KubeContext {
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
}

/** A command that prints credentials. */
export interface ExecConfig {
  /** A name to be found in `PATH`, or a path. */
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  /** Added to the environment of this process. */
  readonly env?: readonly { readonly name: string; readonly value: string }[] | undefined;
  /** `client.authentication.<group suffix>/v1` or `v1beta1`. The plugin answers in the same. */
  readonly apiVersion?: string | undefined;
  /** Shown when the command is not found. */
  readonly installHint?: string | undefined;
  /** Whether the plugin is told of the cluster. */
  readonly provideClusterInfo?: boolean | undefined;
  /** `Never`, `IfAvailable` or `Always`: whether the plugin wants standard input. */
  readonly interactiveMode?: string | undefined;
}
