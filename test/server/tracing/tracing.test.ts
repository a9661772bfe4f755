/** Traces of requests, with OpenTelemetry's own packages. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type ContextManager,
} from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
  type Sampler,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, test } from 'vitest';
import {
  ApiServer,
  kubernetes,
  webhook,
  type ApiServerOptions,
  type NetworkOptions,
} from '../../../src/entries/index.js';
import { ask } from '../ask.js';

const servers: ApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

function start(options: ApiServerOptions = {}, sampler?: Sampler) {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({
    ...(sampler === undefined ? {} : { sampler }),
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  const server = new ApiServer({
    dialect: kubernetes,
    ...options,
    authentication: { ownerToken: 'admin', ...options.authentication },
    observability: { tracing: { tracerProvider }, ...options.observability },
  });
  servers.push(server);
  return { server, exporter, spans: () => exporter.getFinishedSpans() };
}

const MAPS = '/api/v1/namespaces/default/configmaps';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span ${name} in ${spans.map((span) => span.name).join(', ')}`);
  return found;
};
const idOf = (span: ReadableSpan): string => span.spanContext().spanId;
const parentOf = (span: ReadableSpan): string | undefined => span.parentSpanContext?.spanId;
const body = JSON.stringify({ metadata: { name: 'a' } });

describe('the trace of a request', () => {
  test('is one span with the steps of the filters, the verb, the storage and the serialization', async () => {
    const { server, spans } = start();
    await ask(server, 'POST', `${MAPS}?fieldManager=me`, {
      body,
      headers: { host: 'api.example:6443', 'user-agent': 'test/1' },
    });
    const root = named(spans(), 'POST /api/v1/namespaces/{:namespace}/configmaps');
    expect(root.kind).toBe(SpanKind.SERVER);
    expect(parentOf(root)).toBeUndefined();
    expect(root.attributes).toMatchObject({
      'http.method': 'POST',
      'http.scheme': 'https',
      'http.target': `${MAPS}?fieldManager=me`,
      'http.status_code': 201,
      'net.host.name': 'api.example',
      'net.host.port': 6443,
      'user_agent.original': 'test/1',
    });
    expect(root.status.code).toBe(SpanStatusCode.UNSET);
    for (const filter of ['authentication', 'impersonation', 'authorization'])
      expect(parentOf(named(spans(), filter))).toBe(idOf(root));
    const handler = named(spans(), 'Create');
    expect(parentOf(handler)).toBe(idOf(root));
    expect(handler.attributes).toMatchObject({ resource: 'configmaps', namespace: 'default', verb: 'POST' });
    expect(handler.attributes['audit-id']).toMatch(/./);
    const write = named(spans(), 'Create etcd3');
    expect(parentOf(write)).toBe(idOf(handler));
    expect(write.attributes).toMatchObject({ key: '/registry/configmaps/default/a', resource: 'configmaps' });
    expect(parentOf(named(spans(), 'SerializeObject'))).toBe(idOf(handler));
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  test.each([
    ['GET', `${MAPS}/a`, 'Get', 'Get etcd3'],
    ['GET', MAPS, 'List', 'List(recursive=true) etcd3'],
    ['PUT', `${MAPS}/a`, 'Update', 'GuaranteedUpdate etcd3'],
    ['DELETE', `${MAPS}/a`, 'Delete', 'Delete etcd3'],
  ])('of %s %s has the steps %s and %s', async (method, path, verb, storage) => {
    const { server, exporter, spans } = start();
    await ask(server, 'POST', MAPS, { body });
    exporter.reset();
    await ask(
      server,
      method,
      path,
      method === 'PUT' ? { body: JSON.stringify({ metadata: { name: 'a' }, data: { a: 'b' } }) } : {},
    );
    expect(parentOf(named(spans(), storage))).toBe(idOf(named(spans(), verb)));
  });

  test('is linked to the trace of the client, which decides neither its parent nor its sampling', async () => {
    const { server, spans } = start();
    const traceparent = `00-${TRACE}-${PARENT}-00`;
    await ask(server, 'GET', '/version', { headers: { traceparent, tracestate: 'vendor=value' } });
    const root = named(spans(), 'GET');
    expect(root.spanContext().traceId).not.toBe(TRACE);
    expect(parentOf(root)).toBeUndefined();
    expect(root.links.map((link) => link.context)).toMatchObject([{ traceId: TRACE, spanId: PARENT, isRemote: true }]);
    expect(root.links[0]?.context.traceState?.serialize()).toBe('vendor=value');
  });

  test.each([
    'nonsense',
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
  ])('ignores the invalid traceparent %s', async (traceparent) => {
    const { server, spans } = start();
    expect((await ask(server, 'GET', '/version', { headers: { traceparent } })).status).toBe(200);
    expect(named(spans(), 'GET').links).toEqual([]);
  });

  test('of a failed request has its code; only a failure of the server is an error', async () => {
    const { server, spans } = start({
      admission: {
        plugins: [{ name: 'Broken', operations: ['CREATE'], validate: () => Promise.reject(new Error('bug')) }],
      },
      observability: { logger: { info: () => {}, error: () => {} } },
    });
    await ask(server, 'GET', `${MAPS}/missing`);
    await ask(server, 'POST', MAPS, { body });
    const missing = named(spans(), 'GET /api/v1/namespaces/{:namespace}/configmaps/{:name}');
    expect([missing.attributes['http.status_code'], missing.status.code]).toEqual([404, SpanStatusCode.UNSET]);
    const broken = named(spans(), 'POST /api/v1/namespaces/{:namespace}/configmaps');
    expect([broken.attributes['http.status_code'], broken.status.code]).toEqual([500, SpanStatusCode.ERROR]);
  });

  test('of a refused request ends the step of the filter that refused it', async () => {
    const { server, spans } = start();
    expect((await ask(server, 'GET', MAPS, { token: 'wrong' })).status).toBe(401);
    expect(parentOf(named(spans(), 'authentication'))).toBe(
      idOf(named(spans(), 'GET /api/v1/namespaces/{:namespace}/configmaps')),
    );
  });

  test('of a watch ends with the watch', async () => {
    const { server, spans } = start();
    const abort = new AbortController();
    const answer = await ask(server, 'GET', `${MAPS}?watch=true`, { signal: abort.signal });
    expect(answer.status).toBe(200);
    const watches = (): number => spans().filter(({ name }) => name.startsWith('GET ')).length;
    expect(watches()).toBe(0);
    abort.abort();
    expect(watches()).toBe(1);
  });

  test('begins with the first request, even before the server has started', async () => {
    const { server, spans } = start();
    await Promise.all([ask(server, 'GET', '/version'), ask(server, 'GET', '/version')]);
    expect(spans().filter(({ name }) => name === 'GET')).toHaveLength(2);
  });

  test('has no steps when it is not sampled', async () => {
    const { server, spans } = start({}, new AlwaysOffSampler());
    expect((await ask(server, 'POST', MAPS, { body })).status).toBe(201);
    expect(spans()).toEqual([]);
  });
});

/** A context manager as programs on Node register it. */
class NodeContexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();
  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }
  with<Given extends unknown[], Work extends (...given: Given) => ReturnType<Work>>(
    active: Context,
    work: Work,
    owner?: ThisParameterType<Work>,
    ...given: Given
  ): ReturnType<Work> {
    return this.#storage.run(active, () => work.call(owner, ...given));
  }
  bind<Target>(_active: Context, target: Target): Target {
    return target;
  }
  enable(): this {
    return this;
  }
  disable(): this {
    return this;
  }
}

test('code of the embedder finds the span of the request as the active one', async () => {
  context.setGlobalContextManager(new NodeContexts());
  try {
    let seen: string | undefined;
    const { server, spans } = start({
      admission: {
        plugins: [
          webhook({
            name: 'sees.example.com',
            rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
            handler: () => {
              seen = trace.getActiveSpan()?.spanContext().traceId;
              return { allowed: true };
            },
          }),
        ],
      },
    });
    await ask(server, 'POST', MAPS, { body });
    expect(seen).toBe(named(spans(), 'Create').spanContext().traceId);
    const call = named(spans(), 'Call validating webhook');
    expect(parentOf(call)).toBe(idOf(named(spans(), 'Create')));
    expect(call.attributes).toMatchObject({ webhook: 'sees.example.com', resource: 'configmaps', operation: 'CREATE' });
  } finally {
    context.disable();
  }
});

test('a webhook learns of the trace', async () => {
  const sent: unknown[] = [];
  const httpClient: NetworkOptions['httpClient'] = (request) => {
    sent.push(request.headers?.['traceparent']);
    return Promise.reject(new Error('down'));
  };
  const { server, spans } = start({ network: { httpClient } });
  const configuration = {
    metadata: { name: 'hooks' },
    webhooks: [
      {
        name: 'hook.example.com',
        clientConfig: { url: 'https://hook.example.com/' },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        failurePolicy: 'Ignore',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  };
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  expect((await ask(server, 'POST', path, { body: JSON.stringify(configuration) })).status).toBe(201);
  await ask(server, 'POST', MAPS, { body });
  const request = named(spans(), 'HTTP POST');
  expect(request.kind).toBe(SpanKind.CLIENT);
  expect(request.status.code).toBe(SpanStatusCode.ERROR);
  expect(parentOf(request)).toBe(idOf(named(spans(), 'Call validating webhook')));
  const { traceId, spanId } = request.spanContext();
  expect(sent).toEqual([`00-${traceId}-${spanId}-01`]);
});

describe('the option observability.tracing', () => {
  test('takes a tracer, too', async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const { server } = start({ observability: { tracing: { tracer: provider.getTracer('mine') } } });
    await ask(server, 'GET', '/version');
    expect(exporter.getFinishedSpans().map((span) => span.instrumentationScope.name)).toContain('mine');
  });

  test.each([
    [{}, 'the option observability.tracing.tracerProvider is required'],
    [{ tracer: {} }, 'the option observability.tracing.tracer must be a tracer of OpenTelemetry'],
    [
      { tracerProvider: 1 },
      'the option observability.tracing.tracerProvider must be a provider of tracers of OpenTelemetry',
    ],
  ])('refuses %j', (tracing, message) => {
    // @ts-expect-error a program without types
    expect(() => new ApiServer({ observability: { tracing } })).toThrow(message);
  });

  test('a tracer that throws ends no request', async () => {
    const tracer = {
      startSpan: () => {
        throw new Error('broken');
      },
    };
    const { server } = start({ observability: { tracing: { tracer } } });
    expect((await ask(server, 'GET', '/version')).status).toBe(200);
  });
});
