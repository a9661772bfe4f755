import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resourcesFromCrd } from '../../../src/kinds/custom/sources/index.js';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { startTestServer } from '../../../src/entries/testing.js';
import { refusalOf, widgetDefinition, WIDGETS } from './definitions.js';

const widget = (version: string, spec: object, name = 'a') => ({
  apiVersion: `shop.example/${version}`,
  kind: 'Widget',
  metadata: { name },
  spec,
});

describe('resourcesFromCrd', () => {
  test.each(['orch', 'kubernetes'] as const)('declares kinds of a definition, in the dialect %s', async (dialect) => {
    const resources = await resourcesFromCrd(WIDGETS);
    expect(resources.map(({ version }) => version)).toEqual(['v1', 'v1alpha1']);
    await using running = await startTestServer({ dialect, resources });
    const widgets = running.client.resource({ apiVersion: 'shop.example/v1', kind: 'Widget' }).namespace('default');
    const made = await widgets.create(widget('v1', { color: 'red', port: '80', free: { a: 1 }, other: 1 }));
    // Defaults are filled in, and unknown fields are pruned.
    expect(made).toMatchObject({ spec: { color: 'red', port: '80', free: { a: 1 }, size: 1 } });
    expect(made['spec']).not.toHaveProperty('other');
    await expect(widgets.create(widget('v1', { color: 'blue' }, 'b'))).rejects.toThrow(
      'spec.color: Unsupported value: "blue"',
    );
    const old = running.client.resource({ apiVersion: 'shop.example/v1alpha1', kind: 'Widget' }).namespace('default');
    expect(await old.get('a')).toMatchObject({ apiVersion: 'shop.example/v1alpha1', spec: { color: 'red' } });
  });

  test('takes objects, lists of objects and kinds of lists', async () => {
    const one = widgetDefinition();
    const other = widgetDefinition({ group: 'other.example' });
    const groupsOf = async (source: object) =>
      (await resourcesFromCrd(source)).filter(({ version }) => version === 'v1').map(({ group }) => group);
    expect(await groupsOf(one)).toEqual(['shop.example']);
    expect(await groupsOf([one, other])).toEqual(['shop.example', 'other.example']);
    expect(await groupsOf({ apiVersion: 'v1', kind: 'List', items: [other, one] })).toEqual([
      'other.example',
      'shop.example',
    ]);
    expect((await resourcesFromCrd(JSON.stringify(one))).map(({ kind }) => kind)).toEqual(['Widget', 'Widget']);
  });

  test('does not change the definition', async () => {
    const one = widgetDefinition();
    const before = JSON.stringify(one);
    await resourcesFromCrd(one);
    expect(JSON.stringify(one)).toBe(before);
  });

  test('reads YAML as Kubernetes does', async () => {
    const text = WIDGETS.replace('served: true', 'served: yes').replace(
      'description: The size.',
      'description: 2001-01-01',
    );
    expect(await resourcesFromCrd(text)).toHaveLength(2);
  });

  test('names all problems of all definitions', async () => {
    const wrongGroup = widgetDefinition({ group: 'No Group' });
    const wrongField = { ...widgetDefinition(), spec: { ...widgetDefinition().spec, plurals: 1 } };
    expect(await refusalOf(resourcesFromCrd([wrongGroup, wrongField]))).toMatchInlineSnapshot(`
      "TypeError: resourcesFromCrd: the CustomResourceDefinition widgets.No Group (item 1): metadata.name: Invalid value: "widgets.No Group": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
      the CustomResourceDefinition widgets.No Group (item 1): spec.group: Invalid value: "No Group": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
      the CustomResourceDefinition widgets.shop.example (item 2): unknown field spec.plurals"
    `);
    expect(await refusalOf(resourcesFromCrd([widgetDefinition(), widgetDefinition()]))).toMatchInlineSnapshot(
      `"TypeError: resourcesFromCrd: the CustomResourceDefinition widgets.shop.example (item 2): it is given twice; give it once"`,
    );
    expect(await refusalOf(resourcesFromCrd(`${WIDGETS}\n---\napiVersion: v1\nkind: Pod\n`))).toMatchInlineSnapshot(
      `"TypeError: document 2: only a CustomResourceDefinition of version v1 declares kinds, got kind "Pod", apiVersion "v1""`,
    );
    expect(await refusalOf(resourcesFromCrd('a: [\n'))).toMatchInlineSnapshot(
      `"TypeError: invalid YAML: Flow sequence in block collection must be sufficiently indented and end with a ] at line 2, column 1"`,
    );
    expect(await refusalOf(resourcesFromCrd('\n---\n'))).toMatchInlineSnapshot(
      `"TypeError: the source: there is no CustomResourceDefinition"`,
    );
    expect(await refusalOf(resourcesFromCrd({ ...widgetDefinition(), spec: 1 }))).toMatchInlineSnapshot(
      `"TypeError: resourcesFromCrd: the CustomResourceDefinition widgets.shop.example: json: cannot unmarshal number into Go struct field CustomResourceDefinition.spec of type v1.CustomResourceDefinitionSpec"`,
    );
    expect(await refusalOf(resourcesFromCrd(7 as never))).toMatchInlineSnapshot(
      `"TypeError: resourcesFromCrd: the source must be a definition, a string in YAML or JSON, or a path, got 7"`,
    );
    expect(await refusalOf(resourcesFromCrd(widgetDefinition(), { converter: 1 } as never))).toMatchInlineSnapshot(
      `"TypeError: resourcesFromCrd: unknown option "converter"; did you mean "convert"?"`,
    );
  });

  test('converts with the given function in place of a webhook', async () => {
    const webhook = { clientConfig: { url: 'https://convert.example/' }, conversionReviewVersions: ['v1'] };
    const definition = widgetDefinition({ conversion: { strategy: 'Webhook', webhook } });
    expect(await refusalOf(resourcesFromCrd(definition))).toMatchInlineSnapshot(
      `"TypeError: resourcesFromCrd: the CustomResourceDefinition widgets.shop.example: its versions are converted by a webhook: pass the option convert, which does the work of the webhook"`,
    );
    const convert = (objects: readonly JsonObject[], apiVersion: string) =>
      objects.map((object) => ({ ...object, apiVersion, spec: { color: 'green', size: 7 } }));
    await using running = await startTestServer({ resources: await resourcesFromCrd(definition, { convert }) });
    const client = (apiVersion: string) => running.client.resource({ apiVersion, kind: 'Widget' }).namespace('default');
    await client('shop.example/v1alpha1').create(widget('v1alpha1', { color: 'red' }));
    expect(await client('shop.example/v1').get('a')).toMatchObject({ spec: { color: 'green', size: 7 } });
    const wrong = await resourcesFromCrd(definition, { convert: () => [] });
    await using other = await startTestServer({ resources: wrong });
    const olds = other.client.resource({ apiVersion: 'shop.example/v1alpha1', kind: 'Widget' }).namespace('default');
    await expect(olds.create(widget('v1alpha1', { color: 'red' }))).rejects.toThrow('returned 0 objects, expected 1');
  });
});

describe('files', () => {
  let directory: string;
  beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'definitions-'))));
  afterEach(() => rmSync(directory, { recursive: true }));
  const write = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };

  test('reads a file', async () => {
    expect(await resourcesFromCrd(write('widgets.yaml', WIDGETS))).toHaveLength(2);
  });

  test('reads the definitions of a directory', async () => {
    write('b.yml', WIDGETS);
    write('a.json', JSON.stringify(widgetDefinition({ group: 'a.example' })));
    write('kustomization.yaml', 'resources:\n- b.yml\n');
    write('notes.txt', 'x');
    const groups = (await resourcesFromCrd(directory)).map(({ group }) => group);
    expect(groups).toEqual(['a.example', 'a.example', 'shop.example', 'shop.example']);
  });

  test('names the file and the document of a problem', async () => {
    const path = write('widgets.yaml', `${WIDGETS}${WIDGETS.replace('group: shop.example', 'group: x.example')}`);
    expect(await refusalOf(resourcesFromCrd(path))).toContain(
      `the CustomResourceDefinition widgets.shop.example (${path}, document 2): metadata.name: Invalid value`,
    );
    const broken = write('broken.yaml', `${WIDGETS}\n---\na: {\n`);
    expect(await refusalOf(resourcesFromCrd(broken))).toContain(`${broken}, document 2, invalid YAML: `);
    const absent = join(directory, 'absent.yaml');
    expect(await refusalOf(resourcesFromCrd(absent))).toContain(`${absent}: ENOENT`);
    rmSync(path);
    rmSync(broken);
    expect(await refusalOf(resourcesFromCrd(directory))).toBe(
      `TypeError: ${directory}: there is no CustomResourceDefinition`,
    );
  });
});
