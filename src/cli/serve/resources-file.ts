import { access } from 'node:fs/promises';
import { extname, normalize, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resourcesFromCrd } from '../../kinds/index.js';
import type { ResourceDefinition } from '../../registry/index.js';
import { UsageError } from '../usage-error.js';
import { orUsageError, reasonOf } from './files.js';

/** Extensions of modules. Other files are YAML or JSON. */
const MODULES: ReadonlySet<string> = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts']);

/**
 * Returns the kinds of the flag `--resources`: those that a module exports, alone or in arrays, or those of custom
 * resource definitions in YAML or JSON.
 *
 * @param path empty for none
 * @throws UsageError that names the file
 */
export async function readResources(path: string): Promise<readonly ResourceDefinition[]> {
  if (path === '') return [];
  await orUsageError('resources', () => access(path));
  try {
    return MODULES.has(extname(path)) ? await kindsOfModule(path) : await resourcesFromCrd(path);
  } catch (error) {
    throw new UsageError(`--resources: ${withPath(path, problemOf(error))}`);
  }
}

async function kindsOfModule(path: string): Promise<readonly ResourceDefinition[]> {
  const exported = (await import(pathToFileURL(resolve(path)).href)) as Readonly<Record<string, unknown>>;
  const kinds = new Set(Object.values(exported).flat().filter(isKind));
  if (kinds.size === 0) throw new Error('exports no kind: export the result of defineResource');
  return [...kinds];
}

/** Returns whether a value is a result of `defineResource`. */
function isKind(value: unknown): value is ResourceDefinition {
  if (typeof value !== 'object' || value === null) return false;
  return 'kind' in value && typeof value.kind === 'string' && 'schema' in value && typeof value.schema === 'function';
}

/** Returns a problem behind the path of its file, which that of a definition begins with itself. */
function withPath(path: string, problem: string): string {
  return problem.startsWith(path) || problem.startsWith(normalize(path)) ? problem : `${path}: ${problem}`;
}

/** Node before 22.18 runs no TypeScript. */
function problemOf(error: unknown): string {
  return error instanceof Error && 'code' in error && error.code === 'ERR_UNKNOWN_FILE_EXTENSION'
    ? 'this version of Node runs no TypeScript: use Node 22.18 or newer, NODE_OPTIONS="--import tsx", or a module in JavaScript'
    : reasonOf(error).replace(/^resourcesFromCrd: /, '');
}
