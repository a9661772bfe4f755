/**
 * Sessions of Go clients with custom kinds: the requests that client-go's dynamic client and reflectors, and the cache
 * of controller-runtime, send, with their headers and parameters, in their order.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiServer, CustomResourceDefinition } from '../../../src/entries/index.js';
import { listen, type Listener } from '../../../src/transport/node/index.js';

const AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';
const METADATA_LIST =
  'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
const METADATA =
  'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
const WIDGETS = '/apis/shop.example/v1/widgets';

interface Event {
  readonly type: string;
  readonly object: {
    readonly kind: string;
    readonly code?: number;
    readonly metadata: { readonly name?: string; readonly resourceVersion: string; readonly annotations?: object };
  };
}

describe('sessions of Go clients with a custom kind', () => {
  let server: ApiServer;
  let listener: Listener;
  const token = 'session';

  beforeAll(async () => {
    server = new ApiServer({
      dialect: 'kubernetes',
      authentication: { tokens: [{ token, user: { username: 'manager', groups: ['system:masters'] } }] },
    });
    listener = await listen(server, { port: 0 });
    await server
      .client()
      .resource(CustomResourceDefinition)
      .create({
        metadata: { name: 'widgets.shop.example' },
        spec: {
          group: 'shop.example',
          scope: 'Namespaced',
          names: { plural: 'widgets', kind: 'Widget' },
          versions: [version('v1', true)],
        },
      });
    await server.settled();
  });

  afterAll(async () => {
    await listener?.close();
    await server?.close();
  });

  const ask = (path: string, init: { method?: string; accept?: string; type?: string; body?: unknown } = {}) =>
    fetch(listener.url + path, {
      method: init.method ?? 'GET',
      headers: {
        authorization: `Bearer ${token}`,
        'user-agent': 'manager/v0.0.0 (linux/amd64) kubernetes/$Format',
        accept: init.accept ?? 'application/json',
        ...(init.body === undefined ? {} : { 'content-type': init.type ?? 'application/json' }),
      },
      ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
    });

  /** Opens a watch as a reflector does, and returns a reader of its events. */
  const watch = async (parameters: string, accept = 'application/json') => {
    const response = await ask(`${WIDGETS}?allowWatchBookmarks=true&timeout=8m23s&timeoutSeconds=503&${parameters}`, {
      accept,
    });
    expect(response.status).toBe(200);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    let text = '';
    return {
      contentType: response.headers.get('content-type'),
      async next(): Promise<Event | undefined> {
        for (;;) {
          const end = text.indexOf('\n');
          if (end >= 0) {
            const line = text.slice(0, end);
            text = text.slice(end + 1);
            return JSON.parse(line) as Event;
          }
          const { done, value } = await reader.read();
          if (done) return undefined;
          text += decoder.decode(value, { stream: true });
        }
      },
      cancel: () => reader.cancel(),
    };
  };

  const create = async (name: string): Promise<string> => {
    const response = await ask('/apis/shop.example/v1/namespaces/default/widgets', {
      method: 'POST',
      body: { apiVersion: 'shop.example/v1', kind: 'Widget', metadata: { name }, spec: { size: 1 } },
    });
    expect(response.status).toBe(201);
    return ((await response.json()) as Event['object']).metadata.resourceVersion;
  };

  it('the REST mapper finds the kind in aggregated discovery, and by group and version', async () => {
    const response = await ask('/apis', { accept: AGGREGATED });
    expect(response.headers.get('content-type')).toBe(
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    );
    const { items } = (await response.json()) as { items: { metadata: { name: string }; versions: unknown[] }[] };
    expect(items.find(({ metadata }) => metadata.name === 'shop.example')?.versions).toHaveLength(1);
    const list = (await (await ask('/apis/shop.example/v1')).json()) as { resources: { name: string }[] };
    expect(list.resources.map(({ name }) => name)).toEqual(['widgets', 'widgets/status']);
  });

  it('a reflector lists from the cache, watches, and resumes without a lost or repeated event', async () => {
    await create('a');
    const listed = (await (await ask(`${WIDGETS}?limit=500&resourceVersion=0`)).json()) as {
      kind: string;
      metadata: { resourceVersion: string };
      items: Event['object'][];
    };
    expect(listed.kind).toBe('WidgetList');
    expect(listed.items.map(({ metadata }) => metadata.name)).toEqual(['a']);
    const first = await watch(`resourceVersion=${listed.metadata.resourceVersion}&watch=true`);
    await create('b');
    const seen = await first.next();
    expect([seen?.type, seen?.object.metadata.name]).toEqual(['ADDED', 'b']);
    await first.cancel();
    await create('c');
    const second = await watch(`resourceVersion=${seen?.object.metadata.resourceVersion}&watch=true`);
    expect((await second.next())?.object.metadata.name).toBe('c');
    await second.cancel();
  });

  it('a change of the definition ends the watch, and the reflector resumes at the version it has seen', async () => {
    const last = await create('d');
    const first = await watch(`resourceVersion=${last}&watch=true`);
    await create('e');
    const seen = await first.next();
    const definitions = server.client().resource(CustomResourceDefinition);
    const definition = await definitions.get('widgets.shop.example');
    await definitions.update({
      ...definition,
      spec: { ...definition.spec, versions: [version('v1', true), version('v2', false)] },
    });
    await create('f');
    expect(await first.next()).toBeUndefined();
    const second = await watch(`resourceVersion=${seen?.object.metadata.resourceVersion}&watch=true`);
    expect((await second.next())?.object.metadata.name).toBe('f');
    await second.cancel();
  });

  it('a reflector that asks for initial events falls back to a list while the gate is off', async () => {
    const refused = await ask(
      `${WIDGETS}?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeout=7m8s&timeoutSeconds=428&watch=true`,
    );
    expect(refused.status).toBe(422);
    expect(((await refused.json()) as { reason: string }).reason).toBe('Invalid');
  });

  it('a metadata informer gets PartialObjectMetadata', async () => {
    const list = await ask(`${WIDGETS}?limit=500&resourceVersion=0`, { accept: METADATA_LIST });
    expect(list.status).toBe(200);
    expect(list.headers.get('content-type')).toMatch(/^application\/(json|vnd\.kubernetes\.protobuf)/);
    const watched = await watch('resourceVersion=0&watch=true', METADATA.slice(METADATA.indexOf(',') + 1));
    const event = await watched.next();
    expect(event?.object.kind).toBe('PartialObjectMetadata');
    await watched.cancel();
  });

  it('an update with an old version conflicts, and a patch of the status keeps the spec', async () => {
    const path = '/apis/shop.example/v1/namespaces/default/widgets/a';
    const object = (await (await ask(path)).json()) as Event['object'] & { spec: object };
    const changed = { ...object, spec: { size: 2 } };
    expect((await ask(path, { method: 'PUT', body: changed })).status).toBe(200);
    const conflict = await ask(path, { method: 'PUT', body: changed });
    expect(conflict.status).toBe(409);
    const patched = await ask(`${path}/status`, {
      method: 'PATCH',
      type: 'application/merge-patch+json',
      body: { status: { phase: 'Ready' }, spec: { size: 9 } },
    });
    expect(await patched.json()).toMatchObject({ spec: { size: 2 }, status: { phase: 'Ready' } });
  });
});

function version(name: string, storage: boolean) {
  const spec = { type: 'object', properties: { size: { type: 'integer' } } };
  const status = { type: 'object', properties: { phase: { type: 'string' } } };
  const openAPIV3Schema = { type: 'object', properties: { spec, status } };
  return { name, served: true, storage, schema: { openAPIV3Schema }, subresources: { status: {} } };
}
