import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiError } from '../../src/entries/index.js';
import { toFetchHandler, type FetchHandler } from '../../src/transport/fetch/fetch.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { Widget } from './widget.js';

let running: TestServer;
let http: FetchHandler;
beforeEach(async () => {
  running = await startTestServer({
    resources: [Widget],
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  http = toFetchHandler(running.server);
});
afterEach(() => running.close());

const widgets = () => running.client.resource(Widget).namespace('default');

async function send(
  method: string,
  path: string,
  options: { accept?: string; body?: unknown } = {},
): Promise<{ status: number; body: unknown; warning: string | null }> {
  const response = await http(
    new Request(`http://server${path}`, {
      method,
      headers: {
        authorization: 'Bearer admin',
        accept: options.accept ?? 'application/json',
        'content-type': 'application/json',
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    }),
  );
  return { status: response.status, body: await response.json(), warning: response.headers.get('warning') };
}

const PATH = '/apis/shop.example/v1/namespaces/default/widgets';

describe('a custom kind, in-process', () => {
  test('defaults are set, also in lists', async () => {
    const made = await widgets().create({
      metadata: { name: 'w' },
      spec: { color: 'red', parts: [{ name: 'wheel' }] },
    });
    expect(made).toMatchObject({
      apiVersion: 'shop.example/v1',
      kind: 'Widget',
      spec: { color: 'red', size: 1, parts: [{ name: 'wheel', count: 1 }] },
      metadata: { generation: 1 },
    });
  });

  test.each<[string, object, { field: string; message: string }]>([
    [
      'an enum',
      { color: 'pink' },
      { field: 'spec.color', message: 'Unsupported value: "pink": supported values: "red", "green", "blue"' },
    ],
    [
      'a maximum',
      { color: 'red', size: 101 },
      { field: 'spec.size', message: 'Invalid value: 101: spec.size in body should be less than or equal to 100' },
    ],
    ['a required field', {}, { field: 'spec.color', message: 'Required value' }],
    [
      'a type',
      { color: 'red', size: 'big' },
      { field: 'spec.size', message: 'Invalid value: "string": spec.size in body must be of type integer: "string"' },
    ],
    [
      'a rule over two fields',
      { color: 'red', min: 3, max: 2 },
      { field: 'spec.min', message: 'Invalid value: 3: min must not be greater than max' },
    ],
  ])('%s is checked', async (_rule, spec, cause) => {
    const error = await widgets()
      .create({ metadata: { name: 'w' }, spec: spec as never })
      .catch((failure: unknown) => failure);
    if (!(error instanceof ApiError)) throw error;
    expect([error.code, error.reason, error.status.details?.group, error.status.details?.kind]).toEqual([
      422,
      'Invalid',
      'shop.example',
      'Widget',
    ]);
    expect(error.status.details?.causes).toContainEqual(expect.objectContaining(cause));
  });

  test('status is its own subresource; the generation counts changes of the rest', async () => {
    const made = await widgets().create({ metadata: { name: 'w' }, spec: { color: 'red' }, status: { phase: 'Set' } });
    expect(made.status).toBeUndefined();
    const ready = await widgets().updateStatus({
      ...made,
      spec: { ...made.spec, color: 'blue' },
      status: { phase: 'Ready', ready: true },
    });
    expect([ready.spec.color, ready.status, ready.metadata.generation]).toEqual([
      'red',
      { phase: 'Ready', ready: true },
      1,
    ]);
    const resized = await widgets().update({ ...ready, spec: { ...ready.spec, size: 5 }, status: { ready: false } });
    expect([resized.spec.size, resized.status, resized.metadata.generation]).toEqual([
      5,
      { phase: 'Ready', ready: true },
      2,
    ]);
    expect(resized.metadata.managedFields?.map(({ operation, subresource }) => [operation, subresource])).toEqual(
      expect.arrayContaining([
        ['Update', 'status'],
        ['Update', undefined],
      ]),
    );
  });

  test('a custom field can be selected, in list and watch', async () => {
    for (const [name, color] of [
      ['a', 'red'],
      ['b', 'blue'],
      ['c', 'red'],
    ] as const)
      await widgets().create({ metadata: { name }, spec: { color } });
    expect(
      (await widgets().list({ fieldSelector: 'spec.color=red' })).items.map(({ metadata }) => metadata.name),
    ).toEqual(['a', 'c']);
    const seen: string[] = [];
    for await (const event of widgets().watch({ fieldSelector: 'spec.color!=red' })) {
      if (event.type !== 'BOOKMARK' && event.type !== 'ERROR') seen.push(`${event.type} ${event.object.metadata.name}`);
      if (seen.length === 1) await widgets().update({ metadata: { name: 'a' }, spec: { color: 'green' } });
      if (seen.length === 2) break;
    }
    expect(seen).toEqual(['ADDED b', 'ADDED a']);
  });
});

describe('the same kind over HTTP', () => {
  test('create, with a warning for an unknown field', async () => {
    const { status, body, warning } = await send('POST', PATH, {
      body: { metadata: { name: 'w' }, spec: { color: 'red', colour: 'red' } },
    });
    expect([status, warning]).toEqual([201, '299 - "unknown field \\"spec.colour\\""']);
    expect(body).toMatchObject({ apiVersion: 'shop.example/v1', kind: 'Widget', spec: { color: 'red', size: 1 } });
    expect((body as { spec: object }).spec).not.toHaveProperty('colour');
    expect(await widgets().get('w')).toEqual(body);
  });

  test('as a Table with its own columns', async () => {
    await widgets().create({ metadata: { name: 'w' }, spec: { color: 'red', size: 3 } });
    const w = await widgets().get('w');
    await widgets().updateStatus({ ...w, status: { phase: 'Ready', ready: true } });
    const { status, body } = await send('GET', PATH, { accept: 'application/json;as=Table;v=v1;g=meta.orch.io' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: 'Table',
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name', priority: 0 },
        { name: 'Color', type: 'string', priority: 0 },
        { name: 'Phase', type: 'string', priority: 0 },
        { name: 'Size', type: 'integer', priority: 1 },
      ],
      rows: [{ cells: ['w', 'red', 'Ready', 3], object: { kind: 'PartialObjectMetadata', metadata: { name: 'w' } } }],
    });
  });

  test('status, and a label that cannot be selected', async () => {
    const made = await widgets().create({ metadata: { name: 'w' }, spec: { color: 'red' } });
    const { status, body } = await send('PUT', `${PATH}/w/status`, { body: { ...made, status: { phase: 'Ready' } } });
    expect([status, (body as { status: object }).status]).toEqual([200, { phase: 'Ready', ready: false }]);
    expect(await send('GET', `${PATH}?fieldSelector=spec.size%3D1`)).toMatchObject({ status: 400 });
    expect(await send('GET', `${PATH}?fieldSelector=spec.color%3Dred`)).toMatchObject({
      status: 200,
      body: { items: [{ metadata: { name: 'w' } }] },
    });
  });

  test('it is listed in discovery', async () => {
    const { body } = await send('GET', '/apis/shop.example/v1');
    expect(body).toMatchObject({
      resources: [
        {
          name: 'widgets',
          singularName: 'widget',
          namespaced: true,
          kind: 'Widget',
          shortNames: ['wd'],
          categories: ['all'],
          verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        },
        { name: 'widgets/status', kind: 'Widget', verbs: ['get', 'patch', 'update'] },
      ],
    });
  });
});
