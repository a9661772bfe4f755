/**
 * Input and output of a credential plugin: the kind `ExecCredential`.
 *
 * @module
 */
import {
  definedOnly,
  encodeBase64Text,
  hexNumber,
  isJsonObject,
  parseTime,
  type JsonObject,
  type JsonValue,
} from '../../../foundation/index.js';
import { parseYaml } from '../../../server/index.js';
import { bearer, CredentialError, type Credential } from '../../wire/credential.js';
import type { KubeCluster } from '../config.js';
import { KubeConfigError } from '../errors.js';
import { Fields } from '../fields.js';
import { checkKeyPair } from '../key-pair.js';

const KIND = 'ExecCredential';
/** Limits of a plugin's output; the kind itself needs three levels. */
const LIMITS = { maxDepth: 32, maxContainers: 10_000, maxYamlValues: 100_000 };
/** A version that is safe to show. Any other text may be a misplaced secret. */
const SHOWABLE_VERSION = /^([a-z0-9][-.a-z0-9]{0,252}\/)?(v[0-9]{1,4}((alpha|beta)[0-9]{1,4})?)$/;

/** Cluster information for a plugin. */
export interface ExecCluster {
  readonly cluster: KubeCluster;
  /** The server's URL without query. */
  readonly server: string;
  /** Certificate authority in PEM, from the configuration or a file. */
  readonly certificateAuthority: string | undefined;
  /** Plugin configuration of this cluster. */
  readonly config: JsonValue | undefined;
}

/**
 * Returns the content of the environment variable with the input of a plugin, byte for byte as in Kubernetes.
 *
 * @param cluster cluster information, if the plugin receives it
 */
export function execInfo(apiVersion: string, interactive: boolean, cluster: ExecCluster | undefined): string {
  const spec = { cluster: cluster && clusterInfo(cluster), interactive };
  const text = JSON.stringify({ kind: KIND, apiVersion, spec });
  return `${text.replaceAll(/[<>&\u2028\u2029]/g, escapeCharacter)}\n`;
}

function escapeCharacter(character: string): string {
  return `\\u${hexNumber(character.charCodeAt(0), 4)}`;
}

/** Returns the cluster information. Empty fields are omitted, except the plugin configuration. */
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

/** Output of a plugin. */
export interface ExecOutput {
  readonly credential: Credential;
  /** Expiration in milliseconds since the epoch; undefined when the credential is valid until it is refused. */
  readonly expiresAt: number | undefined;
}

/**
 * Parses the output of a plugin.
 *
 * @param apiVersion API version of the plugin's input
 * @throws CredentialError for invalid output or another version; the message contains nothing of the output
 */
export async function readExecCredential(output: Uint8Array, apiVersion: string): Promise<ExecOutput> {
  const answer = new Fields(await parseOutput(output), '');
  try {
    return readAnswer(answer, apiVersion);
  } catch (error) {
    // A field of the wrong type.
    if (error instanceof KubeConfigError) throw new CredentialError(`decoding stdout: ${error.message}`);
    throw error;
  }
}

async function parseOutput(output: Uint8Array): Promise<JsonObject> {
  let value: JsonValue;
  try {
    ({ value } = await parseYaml(output, LIMITS));
  } catch {
    // The parser's message may quote the output.
    throw new CredentialError('decoding stdout: neither JSON nor YAML');
  }
  if (!isJsonObject(value)) throw new CredentialError(`decoding stdout: not an ${KIND} object`);
  return value;
}

function readAnswer(answer: Fields, apiVersion: string): ExecOutput {
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
    throw new CredentialError('decoding stdout: status.expirationTimestamp: not an RFC 3339 time');
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
