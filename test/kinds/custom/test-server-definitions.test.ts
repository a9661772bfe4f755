import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../../src/entries/testing.js';
import { refusalOf, widgetDefinition, WIDGETS } from './definitions.js';

describe('the option crds of startTestServer', () => {
  test.each(['orch', 'kubernetes'] as const)('serves the kinds of definitions in the dialect %s', async (dialect) => {
    const crds = [WIDGETS, widgetDefinition({ group: 'other.example' })];
    await using running = await startTestServer({ dialect, crds });
    const { client } = running;
    for (const group of ['shop.example', 'other.example']) {
      const widgets = client.resource({ apiVersion: `${group}/v1`, kind: 'Widget' }).namespace('default');
      expect(await widgets.create({ metadata: { name: 'a' }, spec: { color: 'red' } })).toMatchObject({
        spec: { color: 'red' },
      });
    }
    const apiVersion = dialect === 'orch' ? 'apiextensions.orch.io/v1' : 'apiextensions.k8s.io/v1';
    const stored = await client.resource({ apiVersion, kind: 'CustomResourceDefinition' }).get('widgets.shop.example');
    expect(JSON.stringify(stored)).toContain(
      dialect === 'orch' ? '"x-orch-int-or-string":true' : '"x-kubernetes-int-or-string":true',
    );
    expect(JSON.stringify(stored)).not.toContain(dialect === 'orch' ? 'x-kubernetes' : 'x-orch');
  });

  test('reads directories', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'definitions-'));
    try {
      writeFileSync(join(directory, 'widgets.yaml'), WIDGETS);
      await using running = await startTestServer({ crds: [directory] });
      const widgets = running.client.resource({ apiVersion: 'shop.example/v1', kind: 'Widget' });
      expect(await widgets.list()).toMatchObject({ kind: 'WidgetList', items: [] });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test('gives the same history in every run', async () => {
    const uidOf = async (): Promise<unknown> => {
      await using running = await startTestServer({ crds: [WIDGETS] });
      const widgets = running.client.resource({ apiVersion: 'shop.example/v1', kind: 'Widget' }).namespace('default');
      const { metadata } = await widgets.create({ metadata: { generateName: 'a-' }, spec: { color: 'red' } });
      return metadata;
    };
    expect(await uidOf()).toEqual(await uidOf());
  });

  test('refuses definitions that the server refuses or does not serve', async () => {
    const wrong = widgetDefinition({ group: 'wrong' });
    const unknown = { ...widgetDefinition(), spec: { ...widgetDefinition().spec, plurals: 1 } };
    expect(await refusalOf(startTestServer({ crds: [unknown, { ...wrong, metadata: { name: 'x' } }] })))
      .toMatchInlineSnapshot(`
      "Error: startTestServer: the CustomResourceDefinition widgets.shop.example: CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: strict decoding error: unknown field "spec.plurals"
      the CustomResourceDefinition x: CustomResourceDefinition.apiextensions.orch.io "x" is invalid: [metadata.name: Invalid value: "x": must be spec.names.plural+"."+spec.group, spec.group: Invalid value: "wrong": should be a domain with at least one dot]"
    `);
    const second = widgetDefinition();
    const taken = {
      ...second,
      metadata: { name: 'gadgets.shop.example' },
      spec: { ...second.spec, names: { plural: 'gadgets', kind: 'Widget' } },
    };
    expect(await refusalOf(startTestServer({ crds: [second, taken] }))).toMatchInlineSnapshot(
      `"Error: startTestServer: the CustomResourceDefinition gadgets.shop.example: its names are not accepted: "WidgetList" is already in use"`,
    );
    expect(await refusalOf(startTestServer({ crds: WIDGETS as never }))).toMatchInlineSnapshot(
      `"TypeError: startTestServer: the option crds must be a list of definitions, got "---\\napiVersion: apiextensions.k8s.io/v1\\nkind: CustomResource"…"`,
    );
    expect(await refusalOf(startTestServer({ crds: ['/absent'] }))).toContain('/absent: ENOENT');
    const disabledControllers = ['customresourcedefinition'] as const;
    expect(
      await refusalOf(startTestServer({ crds: [second], controllers: { disable: disabledControllers } })),
    ).toMatchInlineSnapshot(
      `"Error: startTestServer: the CustomResourceDefinition widgets.shop.example: it is not established: does the controller customresourcedefinition run?"`,
    );
  });
});
