/**
 * Checks that apply to every answer, whatever the request.
 *
 * @module
 */
import { textOf } from '../../server/ask.js';
import type { ApiResponse } from '../../../src/server/requests/http.js';
import type { FuzzedRequest } from './requests.js';

/** A 5xx answer that Kubernetes gives too. */
interface ExpectedFailure {
  readonly status: number;
  readonly message: RegExp;
  /** Why it is not a fault. */
  readonly reason: string;
}

/** Every allowed 5xx answer. */
export const EXPECTED_FAILURES: readonly ExpectedFailure[] = [
  {
    status: 500,
    message: /resourceVersion should not be set on objects to be created/,
    reason: 'Kubernetes has no specific status for a create with a resourceVersion',
  },
  {
    status: 500,
    message: /resourceVersion|resource version|strconv\.ParseUint/,
    reason: 'Kubernetes reads a resourceVersion in its storage, whose errors have no status',
  },
  {
    status: 500,
    message: /failed to create typed (patch|live) object/,
    reason: 'Kubernetes has no specific status for an applied or stored object that does not fit its schema',
  },
  {
    status: 500,
    message:
      /expected a (\[\]|map\[)|unknown patch type: |does not contain declared merge key: |doesn't match \$setElementOrder list|merging lists cannot yet be specified|cannot merge lists without merge key|list element types are not identical|invalid value for special key/,
    reason: 'Kubernetes has no specific status for a strategic merge patch that does not fit its schema',
  },
  {
    status: 500,
    message: /target\.(name: Required value|kind: Unsupported value: .*supported values: "Node", "<empty>")/,
    reason: 'Kubernetes returns the errors of a binding without a status',
  },
  {
    status: 501,
    message: /is not supported by this server: it runs no \w+; its owner can answer with the option/,
    reason: 'no handler is given',
  },
  { status: 504, message: /Timeout: Too large resource version/, reason: 'a future version' },
  { status: 504, message: /Timeout: request did not complete within/, reason: 'the client asked for a short time' },
];

interface Body {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
  readonly status?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
}

/** Describes what is wrong with an answer; undefined if nothing is. */
export function problemOf(request: FuzzedRequest, answer: ApiResponse): string | undefined {
  const { status, body } = answer;
  if (!Number.isInteger(status) || status < 200 || status > 599) return `no status: ${status}`;
  if (typeof body === 'object' && !(body instanceof Uint8Array) && !('parts' in body))
    return status === 200 ? undefined : `a stream with status ${status}`;
  const type = String(answer.headers['content-type'] ?? '');
  const text = textOf(answer);
  if (!type.startsWith('application/json'))
    return status < 500 || isExpected(status, text.replaceAll(/\s+/g, ' '))
      ? undefined
      : `${status} ${text.slice(0, 300)}`;
  if (text === '' && request.method === 'HEAD') return undefined;
  let parsed: Body;
  try {
    parsed = JSON.parse(text) as Body;
  } catch {
    return `${status} and no JSON: ${text.slice(0, 300)}`;
  }
  return status >= 400 ? problemOfFailure(status, parsed) : undefined;
}

const isExpected = (status: number, message: string): boolean =>
  EXPECTED_FAILURES.some((expected) => expected.status === status && expected.message.test(message));

function problemOfFailure(status: number, { kind, apiVersion, status: word, code, message }: Body): string | undefined {
  if (kind !== 'Status' || apiVersion !== 'v1' || word !== 'Failure' || code !== status || typeof message !== 'string')
    return `${status} and no Status: ${JSON.stringify({ kind, apiVersion, word, code, message })}`;
  if (status < 500 || isExpected(status, message)) return undefined;
  return `${status} ${message}`;
}
