import { inSpan, qualified, type SpanAttributes } from '../../foundation/index.js';
import type { RequestContext } from './context.js';
import { timed } from './latency.js';
import type { ResourceStore } from './store.js';

/**
 * Runs a call of the storage as a step of the request: its time is in the audit events, and it is a step of the trace.
 *
 * @param name name of the step in Kubernetes, whatever the engine is: `Create etcd3`
 * @param key key of the object, or prefix of a list; only read for a traced request
 */
export function inStorage<Result>(
  context: Pick<RequestContext, 'took' | 'clock' | 'span'>,
  name: string,
  { info: { resource, group, kind } }: ResourceStore,
  key: string,
  call: () => Promise<Result>,
): Promise<Result> {
  if (context.span === undefined) return timed(context, 'etcd', call);
  const attributes = (): SpanAttributes => ({ key, type: kind, resource: qualified(resource, group) });
  return inSpan(context.span, name, attributes, () => timed(context, 'etcd', call));
}
