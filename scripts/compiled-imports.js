/**
 * Lets a process that a test starts load the compiled source, as the tests do, instead of compiling it again. It comes
 * after tsx, which finds the modules, and loads all other TypeScript:
 *
 *     COMPILED_SOURCE=FOLDER node --import tsx --import ./scripts/compiled-imports.js FILE
 */
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compiledFile } from './compiled-source.js';

const HOOKS = '?hooks';
const folder = process.env['COMPILED_SOURCE'] ?? '';
const folderUrl = pathToFileURL(folder).href;

// Hooks run in a thread of their own, which loads this module as well.
if (!import.meta.url.endsWith(HOOKS)) register(import.meta.url + HOOKS);

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  if (!found.url.startsWith('file:')) return found;
  const file = compiledFile(folder, fileURLToPath(found.url));
  if (file === undefined) return found;
  return { url: pathToFileURL(file).href, format: 'module', shortCircuit: true };
}

export async function load(url, context, next) {
  if (!url.startsWith(folderUrl)) return next(url, context);
  return { format: 'module', source: await readFile(fileURLToPath(url)), shortCircuit: true };
}
