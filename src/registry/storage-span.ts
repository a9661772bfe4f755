import { qualified } from '../meta/api-error.js';
import { inSpan, type TraceSpan } from '../meta/trace-span.js';
import type { ResourceStore } from './store.js';

/**
 * Runs a call of the storage as a step of a trace.
 *
 * @param name name of the step in Kubernetes, whatever the engine is: `Create etcd3`
 * @param key key of the object, or prefix of a list
 */
export function inStorageSpan<Result>(
  span: TraceSpan | undefined,
  name: string,
  { info: { resource, group, kind } }: ResourceStore,
  key: string,
  call: () => Promise<Result>,
): Promise<Result> {
  return span === undefined
    ? call()
    : inSpan(span, name, () => ({ key, type: kind, resource: qualified(resource, group) }), call);
}
