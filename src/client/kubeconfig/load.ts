import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { orch, report, type Dialect } from '../../foundation/index.js';
import type { KubeConfig } from './config.js';
import { parseKubeConfig } from './decode.js';
import { aggregate, KubeConfigError, systemCode, systemWords } from './errors.js';
import { readBoundedFile } from './files.js';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Sources of a configuration. */
export interface LoadKubeConfigOptions {
  /** The only file to read. It must exist. */
  readonly explicitPath?: string | undefined;
  /** Files to merge instead of those in the environment. Missing files are skipped. */
  readonly paths?: readonly string[] | undefined;
  /** Environment variables; default those of the process. */
  readonly env?: Environment | undefined;
  /**
   * Dialect that sets the names of the variable, the file in the home directory, and the API groups; default `orch`.
   */
  readonly dialect?: Dialect | undefined;
  /** Maximum size of a file, in bytes; default 8 MiB. */
  readonly maxBytes?: number | undefined;
  /** Called when all files in the environment variable are missing. */
  readonly warn?: ((error: Error) => void) | undefined;
}

const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;

/**
 * Loads the client configuration: the explicit file; otherwise the files of the options, of the dialect's variable
 * (`KUBECONFIG` for kubernetes), or the file in the home directory, merged by {@link mergeKubeConfigs}.
 *
 * @throws KubeConfigError when the explicit file is missing, or a file cannot be read or parsed; all files are tried
 *   first
 */
export async function loadKubeConfig(options: LoadKubeConfigOptions = {}): Promise<KubeConfig> {
  const { explicitPath, warn } = options;
  if (explicitPath !== undefined) {
    await requireFile(explicitPath);
    return mergeKubeConfigs(await loadAll([explicitPath], options, () => undefined));
  }
  const { paths, listed } = filesToLoad(options);
  const missing: string[] = [];
  const configs = await loadAll(paths, options, (path) => missing.push(path));
  if (listed && missing.length > 0 && configs.length === 0)
    report(() => warn?.(new KubeConfigError(`Config not found: ${missing.join(', ')}`)));
  return mergeKubeConfigs(configs);
}

/**
 * Merges configurations. The first entry of a name wins entirely: later entries of that name are ignored. The first
 * current context wins.
 */
export function mergeKubeConfigs(configs: readonly KubeConfig[]): KubeConfig {
  return {
    clusters: firstOfEach(configs.map(({ clusters }) => clusters)),
    users: firstOfEach(configs.map(({ users }) => users)),
    contexts: firstOfEach(configs.map(({ contexts }) => contexts)),
    currentContext: configs.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
  };
}

function firstOfEach<Entry>(maps: readonly ReadonlyMap<string, Entry>[]): ReadonlyMap<string, Entry> {
  const merged = new Map<string, Entry>();
  for (const [name, entry] of maps.flatMap((map) => [...map])) if (!merged.has(name)) merged.set(name, entry);
  return merged;
}

/** Returns the files to load, and whether they come from the environment. Empty names are ignored. */
function filesToLoad({ paths, env = process.env, dialect = orch }: LoadKubeConfigOptions): {
  readonly paths: readonly string[];
  readonly listed: boolean;
} {
  if (paths !== undefined) return { paths: distinct(paths), listed: false };
  const variable = env[dialect.clientConfigVariable] ?? '';
  if (variable !== '') return { paths: distinct(variable.split(delimiter)), listed: true };
  return { paths: [join(homeOf(env), dialect.clientConfigFile)], listed: false };
}

function distinct(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].filter((path) => path !== '');
}

function homeOf(env: Environment): string {
  return env['HOME'] ?? env['USERPROFILE'] ?? homedir();
}

async function requireFile(path: string): Promise<void> {
  try {
    await stat(path);
  } catch (cause) {
    throw new KubeConfigError(`stat ${path}: ${systemWords(cause)}`, { cause });
  }
}

/** Loads every file before reporting errors. */
async function loadAll(
  paths: readonly string[],
  options: LoadKubeConfigOptions,
  onMissing: (path: string) => void,
): Promise<KubeConfig[]> {
  const configs: KubeConfig[] = [];
  const problems: string[] = [];
  for (const path of paths) {
    try {
      configs.push(await loadFile(path, options));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (systemCode(error.cause) === 'ENOENT') onMissing(path);
      else problems.push(`error loading config file "${path}": ${error.message}`);
    }
  }
  if (problems.length > 0) throw new KubeConfigError(aggregate(problems));
  return configs;
}

async function loadFile(
  path: string,
  { dialect = orch, maxBytes = DEFAULT_MAX_BYTES }: LoadKubeConfigOptions,
): Promise<KubeConfig> {
  const content = await readBoundedFile(path, maxBytes);
  return parseKubeConfig(content, { dialect, file: resolve(path) });
}
