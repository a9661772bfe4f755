import { orch, type Dialect } from '../../foundation/index.js';
import type { KubeConfig } from './config.js';
import { KubeConfigError } from './errors.js';
import { readBoundedFile } from './files.js';
import type { Environment } from './load.js';

/** Sources of the configuration in a pod. */
export interface KubeConfigOfPodOptions {
  /** Environment variables; default those of the process. */
  readonly env?: Environment | undefined;
  /** Dialect that sets the names of the variables and the directory; default `orch`. */
  readonly dialect?: Dialect | undefined;
  /** Directory of the service account's files; default that of the dialect. */
  readonly folder?: string | undefined;
}

const NAME = 'in-cluster';

/**
 * Returns the configuration of a process in a pod: the server in the environment, its certificate authority, and the
 * token of the service account, which is reread as it changes.
 *
 * @throws KubeConfigError when the environment does not contain the server
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
    // The default namespace is optional.
    return undefined;
  }
}
