/** `serve --crd-dir` and `crd-types`. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { widgetDefinition, WIDGETS } from '../kinds/custom/definitions.js';
import { asOwner, plain, ServingTests, stop } from './serving.js';
import { command } from './stores.js';

interface Stored {
  readonly metadata: {
    readonly managedFields: readonly { readonly manager: string; readonly operation: string }[];
    readonly resourceVersion: string;
  };
  readonly spec: { readonly names: { readonly shortNames?: readonly string[] } };
}

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cli-definitions-'));
});
afterEach(() => rm(directory, { recursive: true }));

async function file(name: string, content: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, content);
  return path;
}

describe('serve --crd-dir', () => {
  const tests = new ServingTests();
  const path = '/apis/apiextensions.orch.io/v1/customresourcedefinitions/widgets.shop.example';

  it('creates the definitions of a directory, and serves their kinds', async () => {
    await file('widgets.yaml', WIDGETS);
    await file('others.json', JSON.stringify(widgetDefinition({ group: 'other.example' })));
    await file('kustomization.yaml', 'resources: [widgets.yaml]\n');
    const server = await tests.start([...plain, `--crd-dir=${directory}`]);
    expect(await server.host.logged('custom resource definitions applied')).toMatchObject({
      names: ['widgets.other.example', 'widgets.shop.example'],
    });
    expect(await asOwner(server, 'GET', '/apis/shop.example/v1/widgets')).toMatchObject({ kind: 'WidgetList' });
    expect(await asOwner(server, 'GET', '/apis/other.example/v1/widgets')).toMatchObject({ items: [] });
    const { metadata } = await asOwner<Stored>(server, 'GET', path);
    expect(metadata.managedFields[0]).toMatchObject({ manager: 'orch-apiserver', operation: 'Apply' });
  });

  it('updates the definitions of an earlier run', async () => {
    const data = join(tests.directory, 'data');
    const words = [...plain, '--storage=sqlite', `--data-dir=${data}`, `--crd-dir=${directory}`];
    await file('widgets.yaml', WIDGETS);
    const first = await tests.start(words);
    const before = await asOwner<Stored>(first, 'GET', path);
    await stop(first);
    const second = await tests.start(words);
    expect((await asOwner<Stored>(second, 'GET', path)).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    await stop(second);
    await file('widgets.yaml', WIDGETS.replace('[wd]', '[wdg]'));
    const third = await tests.start(words);
    expect((await asOwner<Stored>(third, 'GET', path)).spec.names.shortNames).toEqual(['wdg']);
  });

  it('reports a definition whose names are taken', async () => {
    await file('a.yaml', WIDGETS);
    await file(
      'b.yaml',
      WIDGETS.replace('plural: widgets', 'plural: gadgets').replace('name: widgets.', 'name: gadgets.'),
    );
    const server = await tests.start([...plain, `--crd-dir=${directory}`]);
    expect(server.host.log().filter(({ level }) => level === 'error')).toMatchObject([
      {
        message: expect.stringMatching(/^the kind of \w+\.shop\.example is not served: its names are not accepted: "/),
      },
    ]);
  });

  it.each<[problem: string, text: string, message: string]>([
    ['invalid YAML', `${WIDGETS}---\na: [`, 'widgets.yaml, document 2, invalid YAML: '],
    [
      'another version',
      WIDGETS.replace('io/v1', 'io/v1beta1'),
      'widgets.yaml: only a CustomResourceDefinition of version v1 declares kinds',
    ],
    [
      'an invalid definition',
      WIDGETS.replace('scope: Namespaced', 'scope: Here'),
      'the CustomResourceDefinition widgets.shop.example (',
    ],
    ['no definition', 'a: 1\n', ': there is no CustomResourceDefinition'],
  ])('refuses %s, by file and document', async (_problem, text, message) => {
    await file('widgets.yaml', text);
    const { code, err } = await command([
      'serve',
      ...plain,
      '--storage=memory',
      '--kubeconfig-out=',
      '--insecure-loopback-port=auto',
      `--crd-dir=${directory}`,
    ]);
    expect(err).toContain(message);
    expect(err).toContain('--crd-dir: ');
    expect(err).toContain(directory);
    expect(code).not.toBe(0);
  });
});

describe('crd-types', () => {
  it('prints the types of files and directories', async () => {
    const path = await file('widgets.yaml', WIDGETS);
    const { code, out, err } = await command(['crd-types', path]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain("import type { ObjectMeta } from 'orch-apiserver';\n");
    expect(out).toContain('export interface V1Widget {\n');
    await file('others.json', JSON.stringify(widgetDefinition({ group: 'other.example' })));
    expect((await command(['crd-types', directory])).out).toContain('export interface V1Widget2 {\n');
    expect((await command(['crd-types', '--', path])).out).toBe(out);
  });

  it('reports wrong usage and wrong files', async () => {
    expect(await command(['crd-types'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('crd-types needs at least one FILE'),
    });
    expect(await command(['crd-types', join(directory, 'absent.yaml')])).toMatchObject({
      code: 1,
      err: expect.stringContaining('no such file or directory'),
    });
    expect(await command(['crd-types', '--help'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('orch-apiserver crd-types FILE... [flags]\n'),
    });
    expect(await command(['crd-types', '--wrong'])).toMatchObject({ code: 2 });
    expect(await command(['check', 'x'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('unexpected argument "x"'),
    });
  });
});
