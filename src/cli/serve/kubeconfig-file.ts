import type { ApiServer } from '../../apiserver/index.js';
import { connect, type UrlTarget } from '../../client/index.js';
import { loadKubeConfig } from '../../client/node.js';
import { ApiError, kubernetes, type Dialect, type Logger } from '../../foundation/index.js';
import { Namespace } from '../../kinds/index.js';
import type { Host } from '../host.js';
import { writePrivateFile } from './files.js';
import type { Listeners } from './listeners.js';

/** Time for an answer of the server that a kubeconfig names, in milliseconds. */
const ANSWER_MS = 2000;
/** Answers of a server that does not know the token, and of another program. */
const FOREIGN: ReadonlySet<number> = new Set([401, 404]);

/**
 * Returns whether a kubeconfig belongs to a running server: a server at its URL accepts its token, or accepts the
 * connection and does not answer, as one that is overloaded or suspended. To be asked before the own ports are open,
 * since one of them may have had the same URL in an earlier run.
 *
 * @param path empty for no file
 */
export async function belongsToRunningServer(
  path: string,
  dialect: Dialect,
  { clock }: Pick<Host, 'clock'>,
): Promise<boolean> {
  const target = path === '' ? undefined : await targetIn(path, dialect);
  if (target === undefined) return false;
  const logger: Logger = { info: () => undefined, error: () => undefined };
  const late = new AbortController();
  const timer = clock.after(ANSWER_MS, () => late.abort());
  try {
    const client = await connect(target, { dialect, clock, logger, retry: false });
    try {
      await client.resource(Namespace).list({ limit: 1, signal: late.signal });
      return true;
    } finally {
      await client.close();
    }
  } catch (error) {
    return late.signal.aborted || (error instanceof ApiError && !FOREIGN.has(error.code));
  } finally {
    timer.cancel();
  }
}

/** Returns the server in a kubeconfig like those that this program writes: with one server and a token. */
async function targetIn(path: string, dialect: Dialect): Promise<UrlTarget | undefined> {
  try {
    const { clusters, users } = await loadKubeConfig({ explicitPath: path, dialect });
    const [[cluster], [user]] = [[...clusters.values()], [...users.values()]];
    if (cluster?.server === undefined || user?.token === undefined) return undefined;
    return { url: cluster.server, token: user.token, authority: cluster.certificateAuthorityData };
  } catch {
    // It is not a kubeconfig, or does not exist.
    return undefined;
  }
}

/**
 * Writes the owner's kubeconfig. That of another running server stays: the new one is written beside it, and its name
 * ends with the port.
 *
 * @param path empty for none
 * @param taken whether the file belongs to another running server
 * @returns the path of the file; empty if none was written
 */
export async function writeKubeConfig(
  server: ApiServer,
  { secure, insecure, authority }: Pick<Listeners, 'secure' | 'insecure' | 'authority'>,
  { path, taken, logger }: { readonly path: string; readonly taken: boolean; readonly logger: Logger },
): Promise<string> {
  const url = secure?.url ?? insecure?.url;
  if (path === '' || url === undefined) return path;
  const warn = logger.warn?.bind(logger) ?? logger.info.bind(logger);
  const written = taken ? `${path}-${new URL(url).port}` : path;
  if (taken)
    warn(`${path} belongs to another running server, so the kubeconfig of this one is beside it`, {
      kubeconfig: written,
    });
  await writePrivateFile(
    'kubeconfig-out',
    written,
    server.kubeConfig({ server: url, certificateAuthority: authority }),
  );
  if (secure === undefined)
    warn(
      `${kubernetes.commandLineName} sends no token to a plaintext address, so it is anonymous with this kubeconfig: open --secure-port`,
      { kubeconfig: written },
    );
  return written;
}
