/** The means of custom resource definitions in kinds that are declared in code. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  defineResource,
  scaleSubresource,
  statusSubresource,
  type ResourceDefinition,
} from '../../../src/entries/index.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { ask, jsonOf } from '../../server/ask.js';

const TOKEN = 'owner';
const names = { group: 'shop.example', kind: 'Widget', plural: 'widgets', scope: 'Namespaced' } as const;
const PATH = '/apis/shop.example/v1/namespaces/default/widgets';

const request = (running: TestServer, method: string, path: string, body?: object, headers = {}) =>
  ask(running.server, method, path, {
    token: TOKEN,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

describe('columns with a JSONPath', () => {
  const Widget = (columns: ResourceDefinition['columns'] | object[]): ResourceDefinition =>
    defineResource({
      ...names,
      version: 'v1',
      schema: () =>
        z.object({
          spec: z.object({ size: z.number(), since: z.string().optional() }),
          conditions: z.array(z.object({ type: z.string(), status: z.string() })).optional(),
        }),
      columns: columns as never,
    });
  const tableOf = async (running: TestServer) => {
    const accept = 'application/json;as=Table;v=v1;g=meta.orch.io';
    return jsonOf(await request(running, 'GET', PATH, undefined, { accept })) as unknown as {
      readonly columnDefinitions: readonly object[];
      readonly rows: readonly { readonly cells: readonly unknown[] }[];
    };
  };

  test('show the first value, by the type of the column', async () => {
    const kind = Widget([
      { name: 'Name', type: 'string', cell: ({ metadata }: { metadata: { name?: string } }) => metadata.name ?? '' },
      { name: 'Size', type: 'integer', jsonPath: '.spec.size', priority: 1 },
      { name: 'Text', type: 'string', jsonPath: '.spec' },
      { name: 'Wrong', type: 'boolean', jsonPath: '.spec.size' },
      { name: 'Ready', type: 'string', jsonPath: '.conditions[?(@.type=="Ready")].status' },
      { name: 'Since', type: 'date', jsonPath: '.spec.since' },
    ]);
    await using running = await startTestServer({ authentication: { ownerToken: TOKEN }, resources: [kind] });
    await running.client
      .resource(kind)
      .namespace('default')
      .create({
        metadata: { name: 'a' },
        spec: { size: 3, since: '2023-12-31T23:58:00Z' },
        conditions: [
          { type: 'Other', status: 'False' },
          { type: 'Ready', status: 'True' },
        ],
      } as never);
    const { columnDefinitions, rows } = await tableOf(running);
    expect(rows.map(({ cells }) => cells)).toEqual([
      ['a', 3, '{"since":"2023-12-31T23:58:00Z","size":3}', null, 'True', '2m'],
    ]);
    expect(columnDefinitions[1]).toMatchObject({ name: 'Size', type: 'integer', priority: 1 });
    expect(columnDefinitions[1]).not.toHaveProperty('jsonPath');
  });

  test('are empty instead of a text of more than 64 KiB', async () => {
    const kind = defineResource({
      ...names,
      version: 'v1',
      schema: () => z.object({ spec: z.object({ long: z.string(), list: z.array(z.string()), short: z.string() }) }),
      columns: [
        { name: 'Object', type: 'string', jsonPath: '.spec' },
        { name: 'List', type: 'string', jsonPath: '.spec.list' },
        { name: 'Long', type: 'string', jsonPath: '.spec.long' },
        { name: 'Short', type: 'string', jsonPath: '.spec.short' },
      ],
    });
    await using running = await startTestServer({ authentication: { ownerToken: TOKEN }, resources: [kind] });
    await running.client
      .resource(kind)
      .namespace('default')
      .create({
        metadata: { name: 'a' },
        spec: {
          long: 'x'.repeat(64 * 1024 + 1),
          list: Array.from({ length: 22_000 }, () => ''),
          short: 'x'.repeat(64 * 1024),
        },
      });
    const { rows } = await tableOf(running);
    expect(rows.map(({ cells }) => cells)).toEqual([[null, null, null, 'x'.repeat(64 * 1024)]]);
  });

  test('are checked', async () => {
    expect(() => Widget([{ name: 'A', type: 'string', jsonPath: '.a[' }])).toThrow(
      'the jsonPath .a[ of a column is invalid: unterminated array',
    );
    expect(() => Widget([{ name: 'A', type: 'string', jsonPath: 'spec' }])).toThrow(
      'the option columns[0].jsonPath must be a JSONPath that begins with ".", such as .spec.size, got "spec"',
    );
    expect(() => Widget([{ name: 'A', type: 'string', jsonPath: '.a', cell: () => '' }])).toThrow(
      'the option columns[0] must have cell or jsonPath, not both',
    );
    expect(() => Widget([{ name: 'A', type: 'string' }])).toThrow('the option columns[0].cell is required');
  });
});

describe('scaleSubresource', () => {
  const paths = {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  };
  const Widget = defineResource({
    ...names,
    version: 'v1',
    schema: () =>
      z.object({
        spec: z.object({ replicas: z.number().int().min(0).max(5).optional() }),
        status: z.object({ replicas: z.number().int(), selector: z.string().optional() }).optional(),
      }),
    subresources: { status: statusSubresource, scale: scaleSubresource(paths) },
  });

  test('reads and writes the numbers of replicas', async () => {
    await using running = await startTestServer({ authentication: { ownerToken: TOKEN }, resources: [Widget] });
    const widgets = running.client.resource(Widget).namespace('default');
    await widgets.create({ metadata: { name: 'a' }, spec: { replicas: 1 } });
    const scale = jsonOf(await request(running, 'GET', `${PATH}/a/scale`));
    expect(scale).toMatchObject({ apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 1 } });
    const changed = await request(running, 'PUT', `${PATH}/a/scale`, { ...scale, spec: { replicas: 4 } });
    expect(jsonOf(changed)).toMatchObject({ spec: { replicas: 4 }, status: { replicas: 0 } });
    expect((await widgets.get('a')).spec.replicas).toBe(4);
    const refused = await request(running, 'PUT', `${PATH}/a/scale`, { ...scale, spec: { replicas: 6 } });
    expect(refused.status).toBe(409);
    const patched = await request(
      running,
      'PATCH',
      `${PATH}/a/scale`,
      { spec: { replicas: 6 } },
      {
        'content-type': 'application/merge-patch+json',
      },
    );
    expect(jsonOf(patched)).toMatchObject({ code: 422, details: { causes: [{ field: 'spec.replicas' }] } });
  });

  test('refuses other paths', () => {
    const refused: [object, string][] = [
      [{}, 'scaleSubresource: the option specReplicasPath is required'],
      [
        { ...paths, specReplicasPath: '.status.replicas' },
        'specReplicasPath must be a path of field names below .spec',
      ],
      [
        { ...paths, statusReplicasPath: '.spec.replicas' },
        'statusReplicasPath must be a path of field names below .status',
      ],
      [
        { ...paths, labelSelectorPath: '.metadata.name' },
        'labelSelectorPath must be a path of field names below .spec or .status',
      ],
      [{ ...paths, other: 1 }, 'unknown option "other"'],
    ];
    for (const [options, message] of refused) expect(() => scaleSubresource(options as never)).toThrow(message);
  });
});

describe('several versions', () => {
  test('three versions share the stored objects, in the form of the hub', async () => {
    const Hub = defineResource({
      ...names,
      version: 'v2',
      schema: () => z.object({ spec: z.object({ sizes: z.array(z.number()) }) }),
    });
    const One = defineResource({
      ...names,
      version: 'v1',
      schema: () => z.object({ size: z.number() }),
      conversion: {
        hub: Hub,
        toHub: ({ metadata, size }) => ({ metadata, spec: { sizes: [size] } }),
        fromHub: ({ metadata, spec }) => ({ metadata, size: spec.sizes[0] ?? 0 }),
      },
    });
    const Text = defineResource({
      ...names,
      version: 'v1beta1',
      schema: () => z.object({ sizes: z.string() }),
      conversion: {
        hub: Hub,
        toHub: ({ metadata, sizes }) => ({ metadata, spec: { sizes: sizes.split(',').map(Number) } }),
        fromHub: ({ metadata, spec }) => ({ metadata, sizes: spec.sizes.join(',') }),
      },
    });
    await using running = await startTestServer({
      resources: [Hub, One, Text],
      runtimeConfig: 'shop.example/v1beta1=true',
    });
    const { client } = running;
    await client
      .resource(Text)
      .namespace('default')
      .create({ metadata: { name: 'a' }, sizes: '1,2' });
    expect((await client.resource(Hub).namespace('default').get('a')).spec.sizes).toEqual([1, 2]);
    await client.resource(One).namespace('default').patch('a', { size: 7 });
    await client
      .resource(Text)
      .namespace('default')
      .apply({ metadata: { name: 'a', labels: { a: 'b' } }, sizes: '7,8' }, { fieldManager: 'me', force: true });
    expect((await client.resource(Hub).namespace('default').list()).items).toMatchObject([
      { apiVersion: 'shop.example/v2', metadata: { labels: { a: 'b' } }, spec: { sizes: [7, 8] } },
    ]);
    const record = await running.server.client().resource(One).namespace('default').get('a');
    expect(record).toMatchObject({ apiVersion: 'shop.example/v1', size: 7 });
  });
});
