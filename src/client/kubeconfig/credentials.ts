import { encodeBase64Text, messageOf, type Clock } from '../../foundation/index.js';
import { bearer, CredentialError, type CredentialSource } from '../wire/credential.js';
import type { KubeUser } from './config.js';
import { RereadFiles } from './files.js';
import { checkKeyPair, type KeyPair } from './key-pair.js';

/** Options of credentials from files. */
export interface FileCredentialOptions {
  readonly clock: Clock;
  readonly maxFileBytes: number;
  readonly warn: (error: Error) => void;
}

/** Maximum age of a token file's content: 50 seconds, as in Kubernetes. */
const TOKEN_MAX_AGE_MS = 50_000;
/** Maximum age of a key pair: administrators and agents replace them hours before they expire. */
const KEY_PAIR_MAX_AGE_MS = 60_000;

/** Returns the `Authorization` header of basic authentication (RFC 7617), in UTF-8. */
const basic = (username: string, password: string): string => `Basic ${encodeBase64Text(`${username}:${password}`)}`;

/**
 * Returns the credentials in a user entry or in its files; undefined without any. Reads the files immediately, so that
 * a missing file fails early.
 *
 * @throws CredentialError when a file cannot be read, certificate or key are invalid, or the two do not match
 */
export async function fileCredentials(
  user: KubeUser,
  options: FileCredentialOptions,
): Promise<CredentialSource | undefined> {
  const keyPair = keyPairOf(user, options);
  const authorization = authorizationOf(user, options);
  if (keyPair === undefined && authorization === undefined) return undefined;
  const source: CredentialSource = {
    get: async () => ({ ...(await keyPair?.()), authorization: await authorization?.() }),
  };
  await source.get();
  return source;
}

type Getter<Value> = () => Value | Promise<Value>;

function authorizationOf(user: KubeUser, options: FileCredentialOptions): Getter<string> | undefined {
  const { token, tokenFile, username, password } = user;
  if (tokenFile !== undefined) return tokenOfFile(tokenFile, token, options);
  if (token !== undefined) return () => bearer(token);
  if (username !== undefined || password !== undefined) return () => basic(username ?? '', password ?? '');
  return undefined;
}

/** The token of the file takes precedence over the inline token while the file is readable. */
function tokenOfFile(path: string, token: string | undefined, options: FileCredentialOptions): Getter<string> {
  const { clock, maxFileBytes: maxBytes, warn } = options;
  const files = new RereadFiles([path], ([content = '']) => tokenIn(content, path), {
    clock,
    maxBytes,
    maxAgeMs: TOKEN_MAX_AGE_MS,
    warn: (error) => warn(new CredentialError(`unable to rotate token: ${error.message}`)),
  });
  return async () => {
    try {
      return bearer(await files.get());
    } catch (error) {
      if (token !== undefined) return bearer(token);
      throw error instanceof CredentialError
        ? error
        : new CredentialError(`failed to read token file "${path}": ${messageOf(error)}`, { cause: error });
    }
  };
}

function tokenIn(content: string, path: string): string {
  const token = content.trim();
  if (token === '') throw new CredentialError(`read empty token from file "${path}"`);
  return token;
}

function keyPairOf(user: KubeUser, options: FileCredentialOptions): Getter<KeyPair> | undefined {
  const { clientCertificate, clientCertificateData, clientKey, clientKeyData } = user;
  if (clientCertificate === undefined && clientCertificateData === undefined) return undefined;
  // Inline data takes precedence over a file. A pair is reread when any part of it is a file.
  const files = [
    clientCertificateData === undefined ? clientCertificate : undefined,
    clientKeyData === undefined ? clientKey : undefined,
  ];
  const paths = files.filter((path) => path !== undefined);
  const pairOf = (contents: readonly string[]): KeyPair => {
    const rest = [...contents];
    return checkKeyPair({
      certificate: clientCertificateData ?? rest.shift() ?? '',
      key: clientKeyData ?? rest.shift() ?? '',
    });
  };
  if (paths.length === 0) {
    const pair = pairOf([]);
    return () => pair;
  }
  const { clock, maxFileBytes: maxBytes, warn } = options;
  const read = new RereadFiles(paths, pairOf, {
    clock,
    maxBytes,
    maxAgeMs: KEY_PAIR_MAX_AGE_MS,
    warn: (error) => warn(new CredentialError(`unable to rotate client certificate: ${error.message}`)),
  });
  return () => read.get();
}
