import {
  goQuote,
  groupName,
  isJsonObject,
  jsonText,
  systemGroup,
  type Dialect,
  type JsonValue,
} from '../../../foundation/index.js';
import { readAs, structNode, text, unknownFieldText, type StructuralSchema } from '../../../machinery/index.js';

/** Where traces are sent, and how many. */
export interface TracingConfiguration {
  /** Address of the collector for OTLP over gRPC, without TLS: `host:port`, or a name with a scheme of gRPC. */
  readonly endpoint: string;
  /** Number of requests in a million that are traced. */
  readonly samplingRatePerMillion: number;
}

const KIND = 'TracingConfiguration';
const VERSIONS = ['v1beta1', 'v1alpha1'] as const;
/** The address of a collector on the same machine. */
const DEFAULT_ENDPOINT = 'localhost:4317';
const SCHEMES = ['dns', 'unix', 'unix-abstract'];
const MILLION = 1_000_000;

const integer: StructuralSchema = Object.freeze({ type: 'integer', presence: 'omit' });
const schema = structNode(KIND, { apiVersion: text, kind: text, endpoint: text, samplingRatePerMillion: integer });

/**
 * Reads a TracingConfiguration of `apiserver.config.<suffix>/v1beta1` or `v1alpha1`.
 *
 * Source: `component-base/tracing/api/v1` of Kubernetes 1.31.
 *
 * @throws Error for a wrong kind or version, an unknown field, or an invalid value
 */
export function readTracingConfiguration(value: JsonValue, dialect: Dialect): TracingConfiguration {
  if (!isJsonObject(value)) throw new Error('the tracing configuration must be an object');
  const { apiVersion = '', kind = '' } = value;
  const group = groupName(systemGroup('apiserver.config'), dialect);
  if (kind !== KIND || !VERSIONS.some((version) => apiVersion === `${group}/${version}`))
    throw new Error(
      `no kind ${shown(kind)} is registered for version ${shown(apiVersion)}: expected ${KIND} of ${group}/${VERSIONS[0]}`,
    );
  const { object, unknownFields } = readAs<Partial<TracingConfiguration>>(value, schema, { origin: 'builtin' });
  if (unknownFields.length > 0)
    throw new Error(`strict decoding error: ${unknownFields.map(unknownFieldText).join(', ')}`);
  const { endpoint = DEFAULT_ENDPOINT, samplingRatePerMillion = 0 } = object;
  const problem = rateProblem(samplingRatePerMillion) ?? endpointProblem(endpoint);
  if (problem !== undefined) throw new Error(problem);
  return { endpoint, samplingRatePerMillion };
}

const shown = (value: JsonValue): string => (typeof value === 'string' ? goQuote(value) : jsonText(value));

function rateProblem(rate: number): string | undefined {
  const invalid = `samplingRatePerMillion: Invalid value: ${rate}`;
  if (rate < 0) return `${invalid}: sampling rate must be positive`;
  return rate > MILLION ? `${invalid}: sampling rate per million must be less than or equal to one million` : undefined;
}

function endpointProblem(endpoint: string): string | undefined {
  const [, scheme] = /^(.*?):\/\//.exec(endpoint) ?? [];
  if (scheme === undefined || SCHEMES.includes(scheme)) return undefined;
  return `endpoint: Invalid value: ${goQuote(endpoint)}: unsupported scheme: ${scheme}.  Options are dns, unix, or unix-abstract`;
}
