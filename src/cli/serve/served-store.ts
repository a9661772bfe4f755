import { userInfo } from 'node:os';
import { stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import type { ApiServer, ApiServerOptions } from '../../api-server.js';
import type { FlagValues } from '../flags/flag.js';
import type { Host } from '../host.js';
import { chooseStore, defaultDirectory, type StoreChoice } from '../storage/choice.js';
import { isRefusal, openStore, orStartError, placeOf } from '../storage/open.js';
import { UsageError } from '../usage-error.js';
import { reasonOf, readText } from './files.js';
import type { serveFlags } from './flags.js';

type Values = FlagValues<typeof serveFlags>;

/** The store of a server, and what the server is told of it. */
export interface ServedStore {
  readonly choice: StoreChoice;
  readonly options: Pick<ApiServerOptions, 'storage' | 'ownerToken'>;
}

/**
 * Opens the store that the flags say, for as long as the work goes on.
 *
 * @throws UsageError when flags contradict each other; StartError when the store cannot be opened
 */
export async function withServedStore(
  values: Values,
  host: Host,
  work: (store: ServedStore) => Promise<void>,
): Promise<void> {
  const choice = await chooseStore(values, () => defaultDirectory(values.dialect));
  const ownerToken = choice.engine === 'memory' ? undefined : await keptOwnerToken(values['kubeconfig-out']);
  const storage = await openStore(choice, host);
  try {
    await work({ choice, options: { storage, ownerToken } });
  } finally {
    await storage.close();
  }
}

/**
 * Waits for the server to have what every server has. It is then, too, that it looks at the content of configuration and policy files.
 *
 * @throws StartError when its store cannot be used; UsageError when a configuration is wrong
 */
export async function started(server: ApiServer, choice: StoreChoice, values: Values): Promise<void> {
  const given = (['authentication-config', 'authorization-config', 'authorization-policy-file'] as const).filter(
    (flag) => values[flag] !== '',
  );
  await orStartError(choice, async () => {
    try {
      await server.ready();
    } catch (error) {
      if (given.length === 0 || isRefusal(error)) throw error;
      throw new UsageError(`--${given.join(', --')}: ${reasonOf(error)}`);
    }
  });
}

/** Where the state is, as it is said once wherever a server is started. */
export function storageNotice(choice: StoreChoice): string {
  if (choice.engine === 'memory') return 'state is kept in memory and ends with this process';
  const relaxed = choice.engine === 'sqlite' && choice.durability === 'relaxed';
  return `state is kept in ${placeOf(choice)}${relaxed ? '; a power cut may take the last writes with it' : ''}`;
}

/** The token of a server's owner, as this program makes it and writes it. */
const TOKEN_LINE = /^ *token: "?([0-9a-f]{64})"?$/m;

/**
 * The token of the owner in the kubeconfig of an earlier run, so that copies of it stay good. A file that others could have
 * read or written is not gone by, and neither is what this program did not write: there is a new token then. So there is
 * when somebody removes the file.
 */
async function keptOwnerToken(path: string): Promise<string | undefined> {
  try {
    return path !== '' && isPrivate(await stat(path)) ? TOKEN_LINE.exec(await readText(path))?.[1] : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a file is its owner's alone, and that is who runs this program. A system without such owners keeps nothing to itself. */
function isPrivate(stats: Stats): boolean {
  return stats.isFile() && (stats.mode & 0o077) === 0 && stats.uid === userInfo().uid;
}
