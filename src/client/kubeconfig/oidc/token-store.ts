/**
 * The tokens of the auth provider `oidc` in the file of its configuration.
 *
 * @module
 */
import { open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { isJsonObject } from '../../../foundation/index.js';
import type { UserSource } from '../config.js';
import { parseKubeConfig } from '../decode.js';
import { readBoundedFile } from '../files.js';
import type { OidcTokens } from './provider.js';

/** Returns the tokens that a file has for a user now; undefined without the user. @throws Error as a read does */
export async function storedTokens({ file, user }: UserSource, maxBytes: number): Promise<OidcTokens | undefined> {
  const { users } = await parseKubeConfig(await readBoundedFile(file, maxBytes));
  const config = users.get(user)?.authProviderConfig?.config;
  return config && { idToken: config.get('id-token') ?? '', refreshToken: config.get('refresh-token') ?? '' };
}

/**
 * Writes the tokens of a user into a file, and nothing else in it. The file is replaced as a whole, under the lock of the
 * clients of Kubernetes, `FILE.lock`.
 *
 * @throws Error when another program holds the lock, or the file cannot be read or written
 */
export async function storeTokens({ file, user }: UserSource, tokens: OidcTokens, maxBytes: number): Promise<void> {
  // A link to the file stays one.
  const path = await realpath(file);
  const lock = `${path}.lock`;
  await (await open(lock, 'wx', 0o600)).close();
  try {
    const text = (await readBoundedFile(path, maxBytes)).toString('utf8');
    const { mode } = await stat(path);
    const unfinished = `${path}.new`;
    const written = await changed(text, user, tokens);
    // A file of a program that was interrupted. One of somebody else, or a link, must not be written to.
    await rm(unfinished, { force: true });
    await writeFile(unfinished, written, { mode: mode & 0o777, flag: 'wx' });
    await rename(unfinished, path);
  } finally {
    await rm(lock, { force: true });
  }
}

/** Returns the text of a configuration with other tokens. Comments and order stay. @throws Error for another structure */
async function changed(text: string, user: string, { idToken, refreshToken }: OidcTokens): Promise<string> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text);
  const value: unknown = document.errors.length === 0 ? document.toJS() : undefined;
  const users: unknown = isJsonObject(value) ? value['users'] : undefined;
  const index = Array.isArray(users) ? users.findIndex((item) => isJsonObject(item) && item['name'] === user) : -1;
  if (index < 0) throw new Error('the file has no such user any more');
  const config = ['users', index, 'user', 'auth-provider', 'config'];
  document.setIn([...config, 'id-token'], idToken);
  document.setIn([...config, 'refresh-token'], refreshToken);
  return document.toString({ lineWidth: 0 });
}
