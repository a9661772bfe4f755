/** `serve --resources`. */
import { build } from 'esbuild';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { register } from 'tsx/esm/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { esbuildDoors } from '../../scripts/doors.js';
import { readResources } from '../../src/cli/serve/resources-file.js';
import { widgetDefinition } from '../kinds/custom/definitions.js';
import { asOwner, plain, ServingTests, stop } from './serving.js';
import { command } from './stores.js';

const tests = new ServingTests();

const directory = mkdtempSync(join(tmpdir(), 'cli-registry-'));
const registry = join(directory, 'registry.mjs');
// The module of a user imports a package of the user's own, which Node loads.
beforeAll(() =>
  build({
    entryPoints: ['src/registry/definition/definition.ts'],
    outfile: registry,
    bundle: true,
    format: 'esm',
    platform: 'node',
    plugins: [esbuildDoors()],
  }),
);
afterAll(() => rmSync(directory, { recursive: true }));

const module = `
import { defineResource } from '${pathToFileURL(registry).href}';
import { z } from '${import.meta.resolve('zod')}';
const kind = (name) => defineResource({
  group: 'shop.example', version: 'v1', kind: name, plural: name.toLowerCase() + 's', scope: 'Namespaced',
  schema: () => z.object({ spec: z.object({ size: z.int().default(1) }) }),
});
export const Pool = kind('Pool');
export default [Pool, kind('Hose')];
export const other = { kind: 'not one' };
`;

/** Lets Node run TypeScript, as NODE_OPTIONS="--import tsx" does. @returns the function that ends it */
async function runningTypeScript(): Promise<() => Promise<void>> {
  await tests.file('package.json', '{ "type": "module" }');
  return register();
}

describe('serve --resources', () => {
  it.each([
    ['kinds.js', module],
    ['kinds.ts', `${module}export type Size = number;\n`],
    ['kinds.yaml', JSON.stringify(widgetDefinition({ group: 'shop.example' }))],
  ])('serves the kinds of %s', async (name, content) => {
    const path = await tests.file(name, content);
    const unregister = name.endsWith('.ts') ? await runningTypeScript() : undefined;
    const server = await tests.start([...plain, `--resources=${path}`]);
    await unregister?.();
    const { resources } = await asOwner<{ resources: { name: string }[] }>(server, 'GET', '/apis/shop.example/v1');
    const names = resources.map((resource) => resource.name);
    expect(names).toEqual(expect.arrayContaining(name === 'kinds.yaml' ? ['widgets'] : ['pools', 'hoses']));
    await stop(server);
  });

  it.each<[name: string, content: string | undefined, message: (path: string) => string]>([
    ['none.js', undefined, (path) => `no such file or directory, access '${path}'`],
    ['none.yaml', undefined, (path) => `no such file or directory, access '${path}'`],
    ['empty.js', 'export const x = 1;\n', (path) => `${path}: exports no kind: export the result of defineResource`],
    ['throws.js', "throw new Error('from the module');\n", (path) => `${path}: from the module`],
    [
      'invalid.yaml',
      'kind: Other\n',
      (path) =>
        `${path}: only a CustomResourceDefinition of version v1 declares kinds, got kind "Other", apiVersion undefined`,
    ],
    ['text.yaml', 'a: "b\n', (path) => `${path}, invalid YAML: Missing closing "quote at line 2, column 1`],
  ])('refuses %s, and names the file once', async (name, content, message) => {
    const path = content === undefined ? `${tests.directory}/${name}` : await tests.file(name, content);
    const { code, err } = await command(['serve', `--resources=${path}`]);
    expect(code).toBe(2);
    expect(err).toBe(`orch-apiserver: --resources: ${message(path)}\n`);
  });

  it('takes each kind once', async () => {
    const path = await tests.file('kinds.mjs', module);
    expect((await readResources(path)).map(({ kind }) => kind).sort()).toEqual(['Hose', 'Pool']);
  });
});
