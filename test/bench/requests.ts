/** The requests of the benches of HTTP. */
import { benchConfigMap } from './object.mjs';

/** Number of objects in a store that these requests read and change. */
export const OBJECTS = 1_000;
export const COLLECTION = '/api/v1/namespaces/default/configmaps';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** Name of one of the {@link OBJECTS}. */
export const subject = (index: number): string => `object-${String(index % OBJECTS).padStart(6, '0')}`;

/** One request of a verb. `mode` differs from one request to the next. */
export interface BenchRequest {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly body?: object;
}

/** A verb, with its target for the library: CPU over the raw floor. */
export interface Verb {
  readonly title: string;
  readonly target: number;
  readonly status: number;
  /** @param index number of the request, from 0 over all rounds */
  request(index: number): BenchRequest;
}

/** A ConfigMap of 1 KiB. */
export const configMap = (name: string, index: number): object => {
  const object = benchConfigMap(name);
  return { apiVersion: 'v1', kind: 'ConfigMap', ...object, data: { ...object.data, mode: `mode-${index}` } };
};

/** In this order: POST makes what DELETE removes. */
export const verbs: readonly Verb[] = [
  {
    title: 'POST',
    target: 1.5,
    status: 201,
    request: (index) => ({ method: 'POST', path: COLLECTION, body: configMap(`made-${index}`, index) }),
  },
  {
    title: 'DELETE',
    target: 2.5,
    status: 200,
    request: (index) => ({ method: 'DELETE', path: `${COLLECTION}/made-${index}` }),
  },
  {
    title: 'PUT',
    target: 3,
    status: 200,
    request: (index) => ({
      method: 'PUT',
      path: `${COLLECTION}/${subject(index)}`,
      body: configMap(subject(index), index),
    }),
  },
  {
    title: 'merge patch',
    target: 3,
    status: 200,
    request: (index) => ({
      method: 'PATCH',
      path: `${COLLECTION}/${subject(index)}`,
      contentType: 'application/merge-patch+json',
      body: { data: { mode: `patched-${index}` } },
    }),
  },
  {
    title: 'apply',
    target: 4,
    status: 200,
    request: (index) => ({
      method: 'PATCH',
      path: `${COLLECTION}/${subject(index)}?fieldManager=bench&force=true`,
      contentType: 'application/apply-patch+yaml',
      body: configMap(subject(index), index),
    }),
  },
  {
    title: 'access review',
    target: 1.5,
    status: 201,
    request: (index) => ({
      method: 'POST',
      path: REVIEWS,
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {
          resourceAttributes: { namespace: 'default', verb: 'get', resource: 'configmaps', name: subject(index) },
        },
      },
    }),
  },
];

/** The bytes of a request over HTTP/1.1. */
export function bytesOf({ method, path, contentType = 'application/json', body }: BenchRequest): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  const content =
    body === undefined ? '' : `Content-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`;
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nAuthorization: Bearer bench\r\nUser-Agent: bench/1\r\n${content}\r\n${text}`,
  );
}
