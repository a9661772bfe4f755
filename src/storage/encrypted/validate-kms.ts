import {
  formatGoDuration,
  goDurationNanos,
  goQuote,
  invalid,
  parseGoDuration,
  required,
  type FieldError,
  type FieldPath,
} from '../../foundation/index.js';
import { DEFAULT_TIMEOUT } from './kms/provider.js';
import type { KmsProvider } from './types.js';

/** The versions that Kubernetes knows, of which the first is off. */
const VERSIONS = ['v1', 'v2'];

/** Why Kubernetes 1.31 refuses the first version, whose feature gate is off. */
export const V1_IS_OFF =
  'KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.';

/** Returns the version of a provider, which is the first one by default. */
export const versionOf = ({ apiVersion }: KmsProvider): string => (apiVersion ?? '') || 'v1';

/**
 * Validates a key service.
 *
 * @param names the names of those before it; its own is added
 * @returns errors in the order of Kubernetes
 */
export function validateKms(kms: KmsProvider, path: FieldPath, names: Set<string>): FieldError[] {
  const version = versionOf(kms);
  const { cachesize } = kms;
  const errors = [
    ...validateName(kms.name, version, path.child('name'), names),
    ...validateTimeout(kms.timeout, path.child('timeout')),
    ...validateEndpoint(kms.endpoint, path.child('endpoint')),
  ];
  if (version !== 'v1' && cachesize !== undefined)
    errors.push(invalid(path.child('cachesize'), cachesize, 'cachesize is not supported in v2'));
  if (version === 'v1' && cachesize === 0)
    errors.push(
      invalid(path.child('cachesize'), cachesize, 'cachesize should be a positive value, or negative to disable'),
    );
  // Kubernetes names the field where the version should be.
  if (!VERSIONS.includes(version))
    errors.push(
      invalid(
        path.child('apiVersion'),
        version,
        'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported',
      ),
    );
  names.add(kms.name);
  return errors;
}

function validateName(name: string, version: string, path: FieldPath, names: ReadonlySet<string>): FieldError[] {
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(path, 'name is a mandatory field for a provider'));
  if (version !== 'v1' && name.includes(':'))
    errors.push(invalid(path, name, `invalid KMS provider name ${name}, must not contain ':'`));
  if (version !== 'v1' && names.has(name))
    errors.push(invalid(path, name, `duplicate KMS provider name ${name}, names must be unique`));
  return errors;
}

function validateTimeout(timeout: string = DEFAULT_TIMEOUT, path: FieldPath): FieldError[] {
  const nanos = goDurationNanos(timeout);
  if (nanos === undefined) return [invalid(path, timeout, `time: invalid duration ${goQuote(timeout)}`)];
  if (nanos > 0n) return [];
  return [invalid(path, formatGoDuration(parseGoDuration(timeout)), 'timeout should be a positive value')];
}

/** The scheme of an endpoint, as Go's package `net/url` finds it. */
const SCHEME = /^([a-zA-Z][a-zA-Z0-9+.-]*):/;

function validateEndpoint(endpoint: string, path: FieldPath): FieldError[] {
  if (endpoint === '') return [invalid(path, '', 'endpoint is a mandatory field for a kms')];
  const problem = problemOfUrl(endpoint);
  if (problem !== undefined)
    return [
      invalid(path, endpoint, `invalid endpoint for kms provider, error: parse ${goQuote(endpoint)}: ${problem}`),
    ];
  const scheme = SCHEME.exec(endpoint)?.[1]?.toLowerCase() ?? '';
  if (scheme === 'unix') return [];
  return [invalid(path, endpoint, `unsupported scheme ${goQuote(scheme)} for KMS provider, only unix is supported`)];
}

function problemOfUrl(endpoint: string): string | undefined {
  if (/[\u0000-\u001f\u007f]/.test(endpoint)) return 'net/url: invalid control character in URL';
  if (endpoint.startsWith(':')) return 'missing protocol scheme';
  return SCHEME.test(endpoint) && !URL.canParse(endpoint) ? 'invalid URL' : undefined;
}
