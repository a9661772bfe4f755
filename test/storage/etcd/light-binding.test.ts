import { AsyncResource, executionAsyncId } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { withLightBinding } from '../../../src/storage/etcd/rpc/light-binding.js';

type Run = (this: unknown, ...given: unknown[]) => unknown;

/** The binding as Node documents it; its types leave the receiver out. */
interface Binding {
  bind(run: Run, receiver?: unknown): Run;
}

const methodOf = (): unknown => Reflect.get(AsyncResource.prototype, 'bind');

test('a function that is bound lightly runs in its resource, with its receiver and arguments', () => {
  const resource = new AsyncResource('test');
  const binding: Binding = resource;
  const seen: unknown[] = [];
  function record(this: unknown, ...given: unknown[]): string {
    seen.push(executionAsyncId(), this, given);
    return 'result';
  }
  const [free, bound] = withLightBinding(() => [binding.bind(record), binding.bind(record, 'receiver')]);
  expect(Object.keys(free ?? {})).toEqual([]);
  expect(free?.call('caller', 1, 2)).toBe('result');
  expect(bound?.call('caller', 3)).toBe('result');
  expect(seen).toEqual([resource.asyncId(), 'caller', [1, 2], resource.asyncId(), 'receiver', [3]]);
});

test('the method is that of Node, or of who replaced it, after the function has returned or thrown', () => {
  const present = methodOf();
  const error = new Error('refused');
  withLightBinding(() => expect(methodOf()).not.toBe(present));
  expect(methodOf()).toBe(present);
  expect(() =>
    withLightBinding(() => {
      throw error;
    }),
  ).toThrow(error);
  expect(methodOf()).toBe(present);
});
