import { orch, type Dialect } from '../../names/index.js';
import type { KubeConfig } from './config.js';
import { KubeConfigError } from './errors.js';
import { readBoundedFile } from './files.js';
import type { Environment } from './load.js';

/** Where a pod is told of its server. */
export interface KubeConfigOfPodOptions {
  /** Environment; default that of the process. */
  readonly env?: Environment;
  /** Names of the variables and of the folder; default `orch`. */
  readonly dialect?: Dialect;
  /** Folder of the service account's files; default the dialect's. */
  readonly folder?: string;
}

const NAME = 'in-cluster';

/**
 * The configuration of a process in a pod: the server of the environment, its authority and the token of the service account,
 * which is read again as it changes.
 *
 * @throws KubeConfigError when the environment names no server
 */
export async function kubeConfigOfPod(options: KubeConfigOfPodOptions = {}): Promise<KubeConfig> {
  const { env = process.env, dialect = orch } = options;
  const { hostVariable, portVariable, serviceAccountFolder } = dialect.pod;
  const host = env[hostVariable] ?? '';
  const port = env[portVariable] ?? '';
  if (host === '' || port === '')
    throw new KubeConfigError(
      `unable to load in-cluster configuration, ${hostVariable} and ${portVariable} must be defined`,
    );
  const folder = options.folder ?? serviceAccountFolder;
  return {
    clusters: new Map([
      [
        NAME,
        {
          server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
          certificateAuthority: `${folder}/ca.crt`,
        },
      ],
    ]),
    users: new Map([[NAME, { tokenFile: `${folder}/token` }]]),
    contexts: new Map([[NAME, { cluster: NAME, user: NAME, namespace: await namespaceIn(folder) }]]),
    currentContext: NAME,
  };
}

async function namespaceIn(folder: string): Promise<string | undefined> {
  try {
    const namespace = (await readBoundedFile(`${folder}/namespace`)).toString('utf8').trim();
    return namespace === '' ? undefined : namespace;
  } catch {
    // Requests name their namespaces themselves.
    return undefined;
  }
}
