/**
 * What goes to a credential plugin and what comes from it: the kind `ExecCredential`.
 *
 * @module
 */
import { encodeBase64Text } from '../../encoding/base64.js';
import { parseYaml } from '../../codec/index.js';
import { definedOnly } from '../../meta/defined-only.js';
import { isJsonObject, parseTime, type JsonObject, type JsonValue } from '../../meta/index.js';
import type { KubeCluster } from './config.js';
import type { Credential } from './credentials.js';
import { bearer } from './credentials.js';
import { CredentialError, KubeConfigError } from './errors.js';
import { Fields } from './fields.js';
import { checkKeyPair } from './key-pair.js';

const KIND = 'ExecCredential';
/** Deepest answer; the kind itself needs three levels. */
const LIMITS = { maxDepth: 32, maxYamlTokens: 100_000 };
/** A version that can be shown. Anything else may be a secret in the wrong place. */
const SHOWABLE_VERSION = /^([a-z0-9][-.a-z0-9]{0,252}\/)?(v[0-9]{1,4}((alpha|beta)[0-9]{1,4})?)$/;

/** The server, as a plugin is told of it. */
export interface ExecCluster {
  readonly cluster: KubeCluster;
  /** The server's URL without query. */
  readonly server: string;
  /** PEM, whether it stands in the configuration or in a file. */
  readonly certificateAuthority: string | undefined;
  /** What the configuration says to plugins of this cluster. */
  readonly config: JsonValue | undefined;
}

/**
 * The text of the variable that a plugin reads its input from: byte for byte what the production system writes.
 *
 * @param cluster given only when the plugin is to know it
 */
export function execInfo(apiVersion: string, interactive: boolean, cluster: ExecCluster | undefined): string {
  const spec = { cluster: cluster && clusterInfo(cluster), interactive };
  const text = JSON.stringify({ kind: KIND, apiVersion, spec });
  return `${text.replaceAll(/[<>&\u2028\u2029]/g, escapeCharacter)}\n`;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Empty fields are left out, but for the configuration. */
function clusterInfo({ cluster, server, certificateAuthority, config }: ExecCluster): JsonObject {
  const { tlsServerName, insecureSkipTlsVerify, proxyUrl, disableCompression } = cluster;
  return definedOnly({
    server,
    'tls-server-name': tlsServerName,
    'insecure-skip-tls-verify': insecureSkipTlsVerify === true || undefined,
    'certificate-authority-data':
      certificateAuthority === undefined ? undefined : encodeBase64Text(certificateAuthority),
    'proxy-url': proxyUrl,
    'disable-compression': disableCompression === true || undefined,
    config: config ?? null,
  });
}

/** What a plugin has answered. */
export interface ExecAnswer {
  readonly credential: Credential;
  /** Milliseconds since the epoch; undefined when the credential holds until it is refused. */
  readonly expiresAt: number | undefined;
}

/**
 * Reads what a plugin has printed.
 *
 * @param apiVersion the version that the plugin was asked in
 * @throws CredentialError when it is no answer in this version; nothing that was printed is shown
 */
export async function readExecCredential(output: Uint8Array, apiVersion: string): Promise<ExecAnswer> {
  const answer = new Fields(await parseOutput(output), '');
  try {
    return readAnswer(answer, apiVersion);
  } catch (error) {
    // A field of a wrong type.
    if (error instanceof KubeConfigError) throw new CredentialError(`decoding stdout: ${error.message}`);
    throw error;
  }
}

async function parseOutput(output: Uint8Array): Promise<JsonObject> {
  let value: JsonValue;
  try {
    ({ value } = await parseYaml(output, LIMITS));
  } catch {
    // The parser's words may show what it parsed.
    throw new CredentialError('decoding stdout: neither JSON nor YAML');
  }
  if (!isJsonObject(value)) throw new CredentialError(`decoding stdout: not an ${KIND} object`);
  return value;
}

function readAnswer(answer: Fields, apiVersion: string): ExecAnswer {
  checkType(answer, apiVersion);
  const status = answer.child('status');
  if (status === undefined) throw new CredentialError("exec plugin didn't return a status field");
  const token = status.text('token');
  const certificate = status.text('clientCertificateData');
  const key = status.text('clientKeyData');
  const expiresAt = readTime(status.text('expirationTimestamp'));
  if (token === undefined && certificate === undefined && key === undefined)
    throw new CredentialError("exec plugin didn't return a token or cert/key pair");
  if ((certificate === undefined) !== (key === undefined))
    throw new CredentialError('exec plugin returned only certificate or key, not both');
  if (certificate !== undefined && key !== undefined) checkPair(certificate, key);
  return { credential: Object.freeze({ authorization: token && bearer(token), certificate, key }), expiresAt };
}

function checkType(answer: Fields, apiVersion: string): void {
  const kind = answer.text('kind');
  const version = answer.text('apiVersion');
  if (kind === undefined) throw new CredentialError("decoding stdout: Object 'Kind' is missing");
  if (version === undefined) throw new CredentialError("decoding stdout: Object 'apiVersion' is missing");
  if (kind !== KIND) throw new CredentialError(`decoding stdout: the kind is not ${KIND}`);
  if (version === apiVersion) return;
  const shown = SHOWABLE_VERSION.test(version) ? version : 'another';
  throw new CredentialError(
    `exec plugin is configured to use API version ${apiVersion}, plugin returned version ${shown}`,
  );
}

function readTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (time === undefined)
    throw new CredentialError('decoding stdout: status.expirationTimestamp: not a time as in RFC 3339');
  return time;
}

function checkPair(certificate: string, key: string): void {
  try {
    checkKeyPair({ certificate, key });
  } catch (error) {
    if (error instanceof CredentialError)
      throw new CredentialError(`failed parsing client key/certificate: ${error.message}`);
    throw error;
  }
}
