/** The flags for metrics and traces. */
import { createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readTracingConfiguration } from '../../src/cli/serve/telemetry/tracing-configuration.js';
import { parseAllowedLabels } from '../../src/cli/serve/flags/telemetry-flags.js';
import { kubernetes } from '../../src/entries/index.js';
import { plain, ServingTests, stop, type Serving } from './serving.js';

const tests = new ServingTests();

async function metricsOf({ http, authorization }: Serving): Promise<string> {
  return (await fetch(`${http}/metrics`, { headers: authorization })).text();
}

describe('the flags of metrics', () => {
  it('show hidden metrics, leave metrics out, and replace values of labels', async () => {
    const serving = await tests.start([
      ...plain,
      '--show-hidden-metrics-for-version=1.30',
      '--disabled-metrics=apiserver_response_sizes,apiserver_longrunning_requests',
      '--allow-metric-labels=apiserver_request_total,verb=GET,LIST',
    ]);
    const { http, authorization } = serving;
    await fetch(`${http}/api/v1/namespaces`, { headers: authorization });
    await fetch(`${http}/api/v1/namespaces`, { method: 'POST', headers: authorization, body: '{}' });
    const text = await metricsOf(serving);
    expect(text).toContain('# HELP apiserver_request_slo_duration_seconds [ALPHA] (Deprecated since 1.27.0) Response');
    expect(text).not.toContain('apiserver_response_sizes');
    expect(text).toContain('\ndisabled_metrics_total 2\n');
    expect(text).toMatch(/^apiserver_request_total\{.*verb="LIST"/m);
    expect(text).toMatch(/^apiserver_request_total\{.*verb="unexpected"/m);
    expect(text).not.toMatch(/^apiserver_request_total\{.*verb="POST"/m);
    expect(text).toMatch(/^cardinality_enforcement_unexpected_categorizations_total [1-9]/m);
    expect(await stop(serving)).toBe(0);
  });

  it('read allowed values from a manifest', async () => {
    const path = await tests.file('labels.yaml', 'apiserver_request_total,verb: LIST\n');
    const serving = await tests.start([...plain, `--allow-metric-labels-manifest=${path}`]);
    await metricsOf(serving);
    expect(await metricsOf(serving)).toMatch(/^apiserver_request_total\{.*verb="unexpected"/m);
    expect(await stop(serving)).toBe(0);
  });

  it.each([
    ['--show-hidden-metrics-for-version=1.29', 'must be omitted or have the value "1.30"'],
    ['--disabled-metrics=a-b', 'must have names of metrics, got "a-b"'],
    ['--allow-metric-labels=metric=a', 'must have keys of a metric and a label'],
  ])('refuse %s', async (flag, message) => {
    await expect(tests.start([...plain, flag])).rejects.toThrow(message);
  });

  it('have the syntax of Kubernetes', () => {
    expect(parseAllowedLabels('m,l=a,b')).toEqual({ 'm,l': ['a', 'b'] });
    expect(parseAllowedLabels('"m,l=a,b","n,l=c"')).toEqual({ 'm,l': ['a', 'b'], 'n,l': ['c'] });
  });
});

/** A collector of OTLP over gRPC that counts what it gets. */
async function startCollector(): Promise<{
  readonly port: number;
  readonly calls: string[];
  readonly bodies: Buffer[];
}> {
  const server: Http2Server = createServer();
  const calls: string[] = [];
  const bodies: Buffer[] = [];
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      calls.push(String(headers[':path']));
      bodies.push(Buffer.concat(chunks));
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(Buffer.alloc(5));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, calls, bodies };
}

const tracingFile = (endpoint: string, rate: number): string =>
  `apiVersion: apiserver.config.orch.io/v1beta1\nkind: TracingConfiguration\nendpoint: ${endpoint}\nsamplingRatePerMillion: ${rate}\n`;

describe('--tracing-config-file', () => {
  it('sends the spans of requests to the collector, the last ones at the end', async () => {
    const { port, calls, bodies } = await startCollector();
    const path = await tests.file('tracing.yaml', tracingFile(`127.0.0.1:${port}`, 1_000_000));
    const serving = await tests.start([...plain, `--tracing-config-file=${path}`]);
    const { http, authorization } = serving;
    await fetch(`${http}/api/v1/namespaces/default`, { headers: authorization });
    expect(await stop(serving)).toBe(0);
    expect(new Set(calls)).toEqual(new Set(['/opentelemetry.proto.collector.trace.v1.TraceService/Export']));
    const sent = Buffer.concat(bodies).toString('latin1');
    expect(sent).toContain('GET /api/v1/namespaces/{:namespace}/namespaces/{:name}');
    expect(sent).toContain('apiserver');
  });

  it('sends nothing without a rate', async () => {
    const { port, calls } = await startCollector();
    const path = await tests.file('tracing.yaml', tracingFile(`127.0.0.1:${port}`, 0));
    const serving = await tests.start([...plain, `--tracing-config-file=${path}`]);
    await metricsOf(serving);
    expect(await stop(serving)).toBe(0);
    expect(calls).toEqual([]);
  });

  it('refuses a file of another kind', async () => {
    const path = await tests.file('tracing.yaml', 'kind: Other\napiVersion: v1\n');
    await expect(tests.start([...plain, `--tracing-config-file=${path}`])).rejects.toThrow(
      '--tracing-config-file: no kind "Other" is registered for version "v1"',
    );
  });

  it.each([
    [{ samplingRatePerMillion: -1 }, 'sampling rate must be positive'],
    [{ samplingRatePerMillion: 1_000_001 }, 'sampling rate per million must be less than or equal to one million'],
    [{ endpoint: 'https://collector' }, 'unsupported scheme: https.  Options are dns, unix, or unix-abstract'],
    [{ rate: 1 }, 'unknown field "rate"'],
  ])('refuses %j', (fields, message) => {
    const value = { apiVersion: 'apiserver.config.k8s.io/v1beta1', kind: 'TracingConfiguration', ...fields };
    expect(() => readTracingConfiguration(value, kubernetes)).toThrow(message);
  });

  it('has the defaults of Kubernetes', () => {
    const value = { apiVersion: 'apiserver.config.k8s.io/v1alpha1', kind: 'TracingConfiguration' };
    expect(readTracingConfiguration(value, kubernetes)).toEqual({
      endpoint: 'localhost:4317',
      samplingRatePerMillion: 0,
    });
  });
});
