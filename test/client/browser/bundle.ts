import { build } from 'esbuild';
import { esbuildDoors } from '../../../scripts/doors.js';
import { webSubpaths } from '../../../scripts/entries.js';
import { root } from '../../package/project.js';

/** Bundles the client of browsers as an application does. @returns the code of a module that exports its names */
export async function bundledModule(): Promise<string> {
  return bundled(`export * from './${webSubpaths['./client']}';`, 'esm');
}

/** Bundles the client of browsers. @returns the code of a script that sets the global `client` */
export async function bundledScript(): Promise<string> {
  return bundled(`import * as client from './${webSubpaths['./client']}'; globalThis.client = client;`, 'iife');
}

async function bundled(contents: string, format: 'esm' | 'iife'): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    minify: true,
    format,
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
    plugins: [esbuildDoors()],
  });
  return outputFiles[0]?.text ?? '';
}
