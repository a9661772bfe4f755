import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { report } from '../../meta/report.js';
import { orch, type Dialect } from '../../names/index.js';
import type { KubeConfig } from './config.js';
import { parseKubeConfig } from './decode.js';
import { aggregate, KubeConfigError, systemCode, systemWords } from './errors.js';
import { readBoundedFile } from './files.js';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a configuration is looked for. */
export interface LoadKubeConfigOptions {
  /** The one file to read. It must exist, and nothing else is looked at. */
  readonly explicitPath?: string;
  /** Files to merge instead of those that the environment lists. Missing ones are passed over. */
  readonly paths?: readonly string[];
  /** Environment; default that of the process. */
  readonly env?: Environment;
  /** Names of the variable, of the file in the home folder, and of API groups; default `orch`. */
  readonly dialect?: Dialect;
  /** Longest file, in bytes; default 8 MiB. */
  readonly maxBytes?: number;
  /** Told when every file that the environment lists is missing. */
  readonly warn?: (error: Error) => void;
}

const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;

/**
 * Loads the client configuration: the explicit file; or the given files, or those that the dialect's variable
 * (`KUBECONFIG` of kubernetes) lists, or the one in the home folder, merged by {@link mergeKubeConfigs}.
 *
 * @throws KubeConfigError when the explicit file is missing, or a file cannot be read or understood; all files are tried first
 */
export async function loadKubeConfig(options: LoadKubeConfigOptions = {}): Promise<KubeConfig> {
  const { explicitPath, warn } = options;
  if (explicitPath !== undefined) {
    await demand(explicitPath);
    return mergeKubeConfigs(await loadAll([explicitPath], options, () => undefined));
  }
  const { paths, listed } = chain(options);
  const missing: string[] = [];
  const configs = await loadAll(paths, options, (path) => missing.push(path));
  if (listed && missing.length > 0 && configs.length === 0)
    report(() => warn?.(new KubeConfigError(`Config not found: ${missing.join(', ')}`)));
  return mergeKubeConfigs(configs);
}

/**
 * Merges configurations. Of entries with the same name the first is taken, whole: what a later one adds to it is dropped. The
 * first that has a current context decides it.
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

/** The files to try, and whether the environment lists them. An empty name in a list stands for nothing. */
function chain({ paths, env = process.env, dialect = orch }: LoadKubeConfigOptions): {
  readonly paths: readonly string[];
  readonly listed: boolean;
} {
  if (paths !== undefined) return { paths: different(paths), listed: false };
  const variable = env[dialect.clientConfigVariable] ?? '';
  if (variable !== '') return { paths: different(variable.split(delimiter)), listed: true };
  return { paths: [join(homeOf(env), dialect.clientConfigFile)], listed: false };
}

function different(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].filter((path) => path !== '');
}

function homeOf(env: Environment): string {
  return env['HOME'] ?? env['USERPROFILE'] ?? homedir();
}

async function demand(path: string): Promise<void> {
  try {
    await stat(path);
  } catch (cause) {
    throw new KubeConfigError(`stat ${path}: ${systemWords(cause)}`, { cause });
  }
}

/** Reads every file before it complains of any. */
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
  return parseKubeConfig(content, { dialect, directory: dirname(resolve(path)) });
}
