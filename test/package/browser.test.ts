import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { esbuildDoors } from '../../scripts/doors.js';
import { subpaths, webSubpaths } from '../../scripts/entries.js';
import { root } from './project.js';

/** Leaves out the parts that load on first use. */
const withoutLateParts: Plugin = {
  name: 'without-late-parts',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : undefined));
  },
};

/** Leaves out the streams of pods. */
const withoutStreams: Plugin = {
  name: 'without-streams',
  setup({ onResolve }) {
    onResolve({ filter: /\/streams\// }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/** Bundles a program for browsers. @returns its code */
async function bundled(program: string, plugins: readonly Plugin[]): Promise<Uint8Array> {
  const { outputFiles, warnings } = await build({
    stdin: { contents: program, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
    plugins: [...plugins, esbuildDoors()],
  });
  expect(warnings).toEqual([]);
  return outputFiles[0]?.contents ?? new Uint8Array();
}

const gzipped = (code: Uint8Array): number => gzipSync(code, { level: 9 }).length;

describe('the client of browsers', () => {
  const program = `
    import { connect, Informer } from './${webSubpaths['./client']}';
    globalThis.client = { connect, Informer };`;

  test('with watches and informers is below 20 KB, and needs no Node', async () => {
    const code = await bundled(program, [withoutLateParts]);
    expect(gzipped(code)).toBeLessThan(20 * 1024);
    expect(new TextDecoder().decode(code)).not.toMatch(/["']node:/);
  });

  test('is not much more with all that loads on first use, without streams', async () => {
    const code = await bundled(program, [withoutStreams]);
    expect(gzipped(code)).toBeLessThan(24 * 1024);
    expect(new TextDecoder().decode(code)).not.toMatch(/["']node:/);
  });

  test('needs 4 KB more for the streams of pods, and no Node for them', async () => {
    const [code, without] = await Promise.all([bundled(program, []), bundled(program, [withoutStreams])]);
    expect(gzipped(code) - gzipped(without)).toBeLessThan(4 * 1024);
    expect(new TextDecoder().decode(code)).not.toMatch(/["']node:/);
  });

  test('has the names that the client has on Node', async () => {
    const [node, web] = await Promise.all(
      [subpaths['./client'], webSubpaths['./client']].map((source) => import(/* @vite-ignore */ root + source)),
    );
    expect(Object.keys(web as object).sort()).toEqual(Object.keys(node as object).sort());
  });
});
