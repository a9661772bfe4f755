import { dirname, isAbsolute, resolve, sep } from 'node:path';
import {
  encodeUtf8,
  groupName,
  isJsonObject,
  orch,
  systemGroup,
  type Dialect,
  type JsonValue,
} from '../../foundation/index.js';
import { DecodeProblem, parseYaml } from '../../server/index.js';
import type { AuthProviderConfig, ExecConfig, KubeCluster, KubeConfig, KubeContext, KubeUser } from './config.js';
import { KubeConfigError } from './errors.js';
import { Fields } from './fields.js';

/** Options of the parser. */
export interface ParseKubeConfigOptions {
  /** Dialect that sets the names of the API groups; default `orch`. */
  readonly dialect?: Dialect | undefined;
  /** Base directory of relative paths; default that of the file, or the working directory. */
  readonly directory?: string | undefined;
  /** Path of the file with the text, into which an auth provider writes new tokens. Default none. */
  readonly file?: string | undefined;
}

/**
 * Parses a client configuration in YAML or JSON. Unknown fields are ignored; an empty string is an empty configuration.
 *
 * @throws KubeConfigError for a syntax error, another kind or version, or a field of the wrong type; the message
 *   contains the path of the field, never its value
 */
export async function parseKubeConfig(
  text: string | Uint8Array,
  options: ParseKubeConfigOptions = {},
): Promise<KubeConfig> {
  const { dialect = orch, file: path, directory = path === undefined ? '' : dirname(path) } = options;
  const value = (await parse(text)) ?? {};
  if (!isJsonObject(value)) throw new KubeConfigError('the configuration is not an object');
  const file = new Fields(value, '');
  checkType(file);
  const reader = new Reader(dialect, directory, path);
  return {
    clusters: named(file, 'clusters', (item) => reader.cluster(childOf(item, 'cluster'))),
    users: named(file, 'users', (item) => reader.user(childOf(item, 'user'), item.text('name') ?? '')),
    contexts: named(file, 'contexts', (item) => readContext(childOf(item, 'context'))),
    currentContext: file.text('current-context'),
  };
}

async function parse(text: string | Uint8Array): Promise<JsonValue> {
  try {
    return (await parseYaml(typeof text === 'string' ? encodeUtf8(text) : text)).value;
  } catch (error) {
    if (!(error instanceof DecodeProblem)) throw error;
    throw new KubeConfigError(withoutContent(error.message));
  }
}

/** Returns the beginning of a parser's message, without the content that it quotes: that may be a secret. */
function withoutContent(message: string): string {
  if (message.startsWith('the integer')) return 'yaml: an integer is too large';
  // The words that the parser expects come from its grammar, not from the file.
  if (/^yaml: line \d+: did not find expected [a-z '<>,\]}-]+$/.test(message)) return message;
  return (
    /^(?:yaml|json): (?:line \d+: )?(?:[A-Za-z(),-]+|\d{1,7}| )*/.exec(message)?.[0].trimEnd() ?? 'yaml: invalid syntax'
  );
}

function checkType(file: Fields): void {
  const apiVersion = file.text('apiVersion') ?? 'v1';
  const kind = file.text('kind') ?? 'Config';
  if (apiVersion !== 'v1' || kind !== 'Config')
    throw new KubeConfigError(`no kind "${kind}" is registered for version "${apiVersion}"`);
}

const NOTHING = new Fields({}, '');

function childOf(item: Fields, name: string): Fields {
  return item.child(name) ?? NOTHING;
}

/** Returns the entries of a list by name. */
function named<Entry>(file: Fields, list: string, read: (item: Fields) => Entry): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const item of file.items(list)) {
    const name = item.text('name') ?? '';
    if (entries.has(name))
      throw new KubeConfigError(
        `${file.path === '' ? list : `${file.path}.${list}`}: duplicate name "${name}" in list`,
      );
    entries.set(name, read(item));
  }
  return entries;
}

function readContext(fields: Fields): KubeContext {
  return { cluster: fields.text('cluster'), user: fields.text('user'), namespace: fields.text('namespace') };
}

/** Reads the entries that depend on the file's directory or the dialect. */
class Reader {
  /** API version in which `interactiveMode` is optional and defaults to `IfAvailable`. */
  readonly #lenientVersion: string;
  readonly #directory: string;
  readonly #file: string | undefined;

  constructor(dialect: Dialect, directory: string, file: string | undefined) {
    this.#directory = directory;
    this.#file = file;
    this.#lenientVersion = `${groupName(systemGroup('client.authentication'), dialect)}/v1beta1`;
  }

  cluster(fields: Fields): KubeCluster {
    return {
      server: fields.text('server'),
      tlsServerName: fields.text('tls-server-name'),
      insecureSkipTlsVerify: fields.flag('insecure-skip-tls-verify'),
      certificateAuthority: this.#path(fields.text('certificate-authority')),
      certificateAuthorityData: fields.decoded('certificate-authority-data'),
      proxyUrl: fields.text('proxy-url'),
      disableCompression: fields.flag('disable-compression'),
      extensions: named(fields, 'extensions', (item) => item.json('extension') ?? null),
    };
  }

  user(fields: Fields, name: string): KubeUser {
    const exec = fields.child('exec');
    return {
      clientCertificate: this.#path(fields.text('client-certificate')),
      clientCertificateData: fields.decoded('client-certificate-data'),
      clientKey: this.#path(fields.text('client-key')),
      clientKeyData: fields.decoded('client-key-data'),
      token: fields.text('token'),
      tokenFile: this.#path(fields.text('tokenFile')),
      username: fields.text('username'),
      password: fields.text('password'),
      impersonate: fields.text('as'),
      impersonateUid: fields.text('as-uid'),
      impersonateGroups: fields.texts('as-groups'),
      impersonateUserExtra: readExtra(fields),
      authProvider: authProviderName(fields),
      authProviderConfig: this.#authProviderConfig(fields, name),
      exec: exec && this.#exec(exec),
    };
  }

  #exec(fields: Fields): ExecConfig {
    const command = fields.text('command');
    const apiVersion = fields.text('apiVersion');
    return {
      command: command && commandPath(command, this.#directory),
      args: fields.texts('args'),
      env: fields.items('env').map((item) => ({ name: item.text('name') ?? '', value: item.text('value') ?? '' })),
      apiVersion,
      installHint: fields.text('installHint'),
      provideClusterInfo: fields.flag('provideClusterInfo'),
      interactiveMode:
        fields.text('interactiveMode') ?? (apiVersion === this.#lenientVersion ? 'IfAvailable' : undefined),
    };
  }

  #authProviderConfig(fields: Fields, user: string): AuthProviderConfig | undefined {
    const values = fields.child('auth-provider')?.child('config');
    if (values === undefined || values.keys().length === 0) return undefined;
    const config = new Map(values.keys().map((key) => [key, values.text(key) ?? '']));
    return { config, source: this.#file === undefined ? undefined : { file: this.#file, user } };
  }

  #path(path: string | undefined): string | undefined {
    return path && absolutePath(path, this.#directory);
  }
}

function readExtra(fields: Fields): ReadonlyMap<string, readonly string[]> {
  const extra = fields.child('as-user-extra') ?? NOTHING;
  return new Map(extra.keys().map((key) => [key, extra.texts(key)]));
}

function authProviderName(fields: Fields): string | undefined {
  const provider = fields.child('auth-provider');
  return provider && (provider.text('name') ?? '');
}

/** Resolves a path in a configuration file against the directory of the file. */
function absolutePath(path: string, directory: string): string {
  return isAbsolute(path) ? path : resolve(directory, path);
}

/** Resolves a command in a configuration file. A bare name is unchanged: it is searched in `PATH`. */
function commandPath(command: string, directory: string): string {
  return command.includes(sep) ? absolutePath(command, directory) : command;
}
