import { messageOf } from '../../meta/error-message.js';
import { encodeBase64Text } from '../../encoding/base64.js';
import type { Clock } from '../../meta/index.js';
import type { KubeUser } from './config.js';
import { CredentialError } from './errors.js';
import { RereadFiles } from './files.js';
import { checkKeyPair, type KeyPair } from './key-pair.js';

/** What a request proves itself with. */
export interface Credential {
  /** Value of the `Authorization` header. */
  readonly authorization?: string | undefined;
  /** Client certificate with its intermediates, and its key; PEM. Both or neither. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** Where credentials come from. */
export interface CredentialSource {
  /**
   * What the next request goes out with.
   *
   * @throws CredentialError when there is none
   */
  get(): Credential | Promise<Credential>;
  /**
   * The server has refused a credential; the answer is what to try instead. Absent where another one would not come.
   *
   * @throws CredentialError when there is none
   */
  replace?(refused: Credential): Promise<Credential>;
}

/** What sources of credentials that read files need. */
export interface FileCredentialOptions {
  readonly clock: Clock;
  readonly maxFileBytes: number;
  readonly warn: (error: Error) => void;
}

/** A token file is read again ten seconds before it is a minute old, as the production system does. */
const TOKEN_MAX_AGE_MS = 50_000;
/** Key and certificate are replaced by hand or by an agent, hours before they end. */
const KEY_PAIR_MAX_AGE_MS = 60_000;

export const bearer = (token: string): string => `Bearer ${token}`;

/** Basic authentication (RFC 7617), in UTF-8. */
const basic = (username: string, password: string): string => `Basic ${encodeBase64Text(`${username}:${password}`)}`;

/**
 * The credentials that a user entry holds itself or in files; undefined when it holds none. Files are read now, so that a
 * missing one is known from the start.
 *
 * @throws CredentialError when a file cannot be read, or certificate and key are none or do not belong together
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

/** What the file says goes before the token beside it, as long as there is a file. */
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
  // Data goes before a file; a pair is read again when any of it is a file.
  const files = [
    clientCertificateData === undefined ? clientCertificate : undefined,
    clientKeyData === undefined ? clientKey : undefined,
  ];
  const paths = files.filter((path) => path !== undefined);
  const make = (contents: readonly string[]): KeyPair => {
    const rest = [...contents];
    return checkKeyPair({
      certificate: clientCertificateData ?? rest.shift() ?? '',
      key: clientKeyData ?? rest.shift() ?? '',
    });
  };
  if (paths.length === 0) {
    const pair = make([]);
    return () => pair;
  }
  const { clock, maxFileBytes: maxBytes, warn } = options;
  const read = new RereadFiles(paths, make, {
    clock,
    maxBytes,
    maxAgeMs: KEY_PAIR_MAX_AGE_MS,
    warn: (error) => warn(new CredentialError(`unable to rotate client certificate: ${error.message}`)),
  });
  return () => read.get();
}
