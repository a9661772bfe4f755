import type { Client } from '../../client/index.js';
import { loadKubeConfig, openOnNode } from '../../client/node.js';
import {
  ApiError,
  decodeUtf8Lossy,
  dialects,
  jsonValue,
  kubernetes,
  messageOf,
  type Dialect,
  type JsonValue,
  type Logger,
} from '../../foundation/index.js';
import type { FlagValues } from '../flags/flag.js';
import { oneOf, text } from '../flags/kinds.js';
import { topic } from '../flags/topic.js';
import type { Host } from '../host.js';
import { StartError, UsageError } from '../usage-error.js';

/** The flags of commands that ask a running server. */
export const clusterFlags = topic('Server', {
  kubeconfig: text(
    'FILE',
    '',
    'Kubeconfig of the server. Default: the files of KUBECONFIG, or ~/.kube/config; with --dialect orch those of its names.',
  ),
  context: text('NAME', '', 'Context of the kubeconfig. Default: its current one.'),
  dialect: oneOf(
    'NAME',
    dialects,
    kubernetes.name,
    kubernetes,
    `Dialect of the server, one of ${[...dialects.keys()].join(', ')}.`,
  ),
});

const OK = 200;
const NOT_FOUND = 404;

/** Reads a document of the server, such as its discovery, as JSON; undefined when the server does not have it, or refuses. */
export type ReadDocument = (path: string, accept: string) => Promise<JsonValue | undefined>;

/**
 * Runs work with a client of the server of the flags, and closes it.
 *
 * @throws UsageError when the configuration cannot be used; StartError when the server cannot be reached or refuses
 */
export async function withCluster<Result>(
  values: FlagValues<typeof clusterFlags>,
  host: Host,
  work: (client: Client, read: ReadDocument) => Promise<Result>,
): Promise<Result> {
  const { client, connection } = await connected(values, host);
  try {
    return await work(client, async (path, accept) => {
      const { status, body } = await connection.request({ path, headers: { accept } });
      return status === OK ? jsonValue(decodeUtf8Lossy(body)) : undefined;
    });
  } catch (error) {
    if (error instanceof UsageError || error instanceof StartError) throw error;
    const reason =
      error instanceof ApiError
        ? `the server refused: ${error.message}${dialectHint(error, values.dialect)}`
        : messageOf(error);
    throw new StartError(reason);
  } finally {
    await client.close();
  }
}

/** Returns what to try when a server does not serve a kind of every server; otherwise an empty text. */
function dialectHint({ code, status }: ApiError, asked: Dialect): string {
  if (code !== NOT_FOUND || status.details?.kind !== undefined) return '';
  const others = [...dialects.keys()].filter((name) => name !== asked.name);
  return `; the server may have names of another dialect: --dialect=${others.join(' or ')}`;
}

async function connected({ kubeconfig, context, dialect }: FlagValues<typeof clusterFlags>, { clock, stderr }: Host) {
  const logger: Logger = {
    info: () => undefined,
    warn: (message) => void stderr.write(`warning: ${message}\n`),
    error: (message) => void stderr.write(`error: ${message}\n`),
  };
  try {
    // A path may look like the content of a configuration.
    const config = kubeconfig === '' ? undefined : await loadKubeConfig({ explicitPath: kubeconfig, dialect });
    return await openOnNode(
      { kubeconfig: config, context: context === '' ? undefined : context },
      { dialect, clock, logger },
    );
  } catch (error) {
    throw new UsageError(`${kubeconfig === '' ? '' : '--kubeconfig: '}${messageOf(error)}`);
  }
}
