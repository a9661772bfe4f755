import { expect, expectTypeOf, test } from 'vitest';
import type { InputOf, ObjectOf, Status, WatchEvent } from '../../src/entries/index.js';
import { ConfigMap } from '../../src/entries/index.js';
import { startTestServer } from '../../src/entries/testing.js';
import { Widget } from './widget.js';

type Item = ObjectOf<typeof Widget>;
type Input = InputOf<typeof Widget>;

test('input types: defaults, status, apiVersion and kind are optional; the rest is checked', () => {
  expectTypeOf<{ metadata: { name: string }; spec: { color: 'red' } }>().toExtend<Input>();
  expectTypeOf<{ metadata: { name: string }; spec: { color: 'pink' } }>().not.toExtend<Input>();
  expectTypeOf<{ metadata: { name: string }; spec: { size: 3 } }>().not.toExtend<Input>();
  expectTypeOf<{ metadata: { name: string } }>().not.toExtend<Input>();
  expectTypeOf<{ spec: { color: 'red' } }>().not.toExtend<Input>();
  expectTypeOf<Input['status']>().toEqualTypeOf<
    { phase?: string | undefined; ready?: boolean | undefined } | undefined
  >();
});

test('output types: defaults are present', () => {
  expectTypeOf<Item['spec']['size']>().toEqualTypeOf<number>();
  expectTypeOf<Item['spec']['color']>().toEqualTypeOf<'red' | 'green' | 'blue'>();
  expectTypeOf<Item['kind']>().toEqualTypeOf<string>();
  expectTypeOf<Item['metadata']['labels']>().toEqualTypeOf<Record<string, string> | undefined>();
});

test('the verbs', async () => {
  await using running = await startTestServer({ resources: [Widget] });
  const widgets = running.client.resource(Widget).namespace('default');
  expectTypeOf(widgets.get).returns.resolves.toEqualTypeOf<Item>();
  expectTypeOf(widgets.create).parameter(0).toEqualTypeOf<Input>();
  expectTypeOf(widgets.create).returns.resolves.toEqualTypeOf<Item>();
  expectTypeOf(widgets.update).parameter(0).toEqualTypeOf<Item | Input>();
  expectTypeOf(widgets.delete).returns.resolves.toEqualTypeOf<Item | Status>();
  expectTypeOf(widgets.deleteCollection).returns.resolves.toEqualTypeOf<Item[]>();
  expectTypeOf((await widgets.list()).items).toEqualTypeOf<Item[]>();
  expectTypeOf(widgets.watch()).toExtend<AsyncIterable<WatchEvent<Item>>>();
  const made = await widgets.create({ metadata: { name: 'w' }, spec: { color: 'red' } });
  expect(made.spec.size).toBe(1);
  expectTypeOf(
    await running.client
      .resource(ConfigMap)
      .namespace('default')
      .create({ metadata: { name: 'a' } }),
  ).toHaveProperty('data');
});

test('the type of an event determines the type of its object', () => {
  const reported = (event: WatchEvent<Item>): string => {
    if (event.type === 'ERROR') return expectTypeOf(event.object).toEqualTypeOf<Status>() && 'error';
    if (event.type === 'BOOKMARK') return event.object.metadata.resourceVersion ?? '';
    return event.object.spec.color;
  };
  expect(
    reported({ type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'Widget', metadata: { resourceVersion: '7' } } }),
  ).toBe('7');
});
