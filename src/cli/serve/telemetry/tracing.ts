import type { TracingOptions } from '../../../apiserver/index.js';
import { messageOf, type Dialect, type Logger } from '../../../foundation/index.js';
import { orUsageError } from '../files.js';
import type { TelemetryValues } from '../flags/telemetry-flags.js';
import { readYamlFile } from '../yaml-file.js';
import { readTracingConfiguration, type TracingConfiguration } from './tracing-configuration.js';

/** Tracing as the flags set it. */
export interface TracingSetup {
  readonly tracing: TracingOptions | undefined;
  /** Sends the spans that are left. Never rejects. */
  close(): Promise<void>;
}

const FLAG = 'tracing-config-file';
const NONE: TracingSetup = { tracing: undefined, close: () => Promise.resolve() };
/** Name of the service in traces, as in Kubernetes. */
const SERVICE = 'apiserver';
const MILLION = 1_000_000;

/**
 * Returns the tracing that `--tracing-config-file` sets.
 *
 * @throws UsageError when the file cannot be read or is invalid, or the packages of OpenTelemetry are not installed
 */
export async function setUpTracing(values: TelemetryValues, dialect: Dialect, logger: Logger): Promise<TracingSetup> {
  const path = values[FLAG];
  if (path === '') return NONE;
  return orUsageError(FLAG, async () => {
    const configuration = readTracingConfiguration(await readYamlFile(path), dialect);
    const provider = providerOf(await loadPackages(), configuration);
    return {
      tracing: { tracerProvider: provider },
      close: () =>
        provider.shutdown().catch((error: unknown) => {
          logger.error('the last traces could not be sent', { endpoint: configuration.endpoint, error });
        }),
    };
  });
}

type Packages = Awaited<ReturnType<typeof importPackages>>;

async function importPackages() {
  const [sdk, exporter, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-grpc'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/api'),
  ]);
  return { ...sdk, ...exporter, resourceFromAttributes: resources.resourceFromAttributes };
}

async function loadPackages(): Promise<Packages> {
  try {
    return await importPackages();
  } catch (cause) {
    throw new Error(
      `needs packages that are not installed: npm install @opentelemetry/api @opentelemetry/sdk-trace-base @opentelemetry/resources @opentelemetry/exporter-trace-otlp-grpc (${messageOf(cause)})`,
      { cause },
    );
  }
}

function providerOf(packages: Packages, { endpoint, samplingRatePerMillion }: TracingConfiguration) {
  const { BasicTracerProvider, BatchSpanProcessor, OTLPTraceExporter } = packages;
  const { AlwaysOffSampler, ParentBasedSampler, TraceIdRatioBasedSampler, resourceFromAttributes } = packages;
  const root =
    samplingRatePerMillion > 0
      ? new TraceIdRatioBasedSampler(samplingRatePerMillion / MILLION)
      : new AlwaysOffSampler();
  // Without a scheme the exporter would use TLS; Kubernetes' collectors are reached without.
  const url = endpoint.includes('://') ? endpoint : `http://${endpoint}`;
  return new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': SERVICE }),
    sampler: new ParentBasedSampler({ root }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  });
}
