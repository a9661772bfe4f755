import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigMap, type WatchEvent } from '../../src/entries/index.js';
import { openServer, type OpenServer } from './watchers.js';

let server: OpenServer;
beforeEach(() => {
  server = openServer();
});
afterEach(() => server.close());

const configMaps = () => server.client.resource(ConfigMap).namespace('default');
type Seen = WatchEvent<Awaited<ReturnType<ReturnType<typeof configMaps>['get']>>>;

const summary = (event: Seen): string =>
  `${event.type} ${'metadata' in event.object && 'name' in event.object.metadata ? event.object.metadata.name : ''}`;

describe('the events of a watch', () => {
  test('first existing objects, then changes', async () => {
    await configMaps().create({ metadata: { name: 'a' } });
    const seen: string[] = [];
    for await (const event of configMaps().watch()) {
      seen.push(summary(event));
      if (seen.length === 1) await configMaps().create({ metadata: { name: 'b' } });
      if (seen.length === 2) await configMaps().update({ metadata: { name: 'a' }, data: { x: '1' } });
      if (seen.length === 3) await configMaps().delete('a');
      if (seen.length === 4) break;
    }
    expect(seen).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a', 'DELETED a']);
  });

  test('from a version: exactly the changes after it', async () => {
    const { metadata } = await configMaps().create({ metadata: { name: 'a' } });
    await configMaps().create({ metadata: { name: 'b' } });
    await configMaps().delete('a');
    const watch = configMaps().watch({ resourceVersion: metadata.resourceVersion ?? '' });
    const seen = [await watch.next(), await watch.next()].map((step) =>
      step.done === true ? 'end' : summary(step.value),
    );
    expect(seen).toEqual(['ADDED b', 'DELETED a']);
    await watch.return();
  });

  test('with a selector, an object appears and disappears as it starts and stops to match', async () => {
    const watch = configMaps().watch({ labelSelector: 'on=yes' });
    const next = watch.next();
    await server.clock.settle();
    await configMaps().create({ metadata: { name: 'a' } });
    await configMaps().update({ metadata: { name: 'a', labels: { on: 'yes' } } });
    await configMaps().update({ metadata: { name: 'a', labels: { on: 'no' } } });
    const seen = [await next, await watch.next()].map((step) => (step.done === true ? 'end' : summary(step.value)));
    expect(seen).toEqual(['ADDED a', 'DELETED a']);
    await watch.return();
  });

  test('a version without history: one ERROR with the Status 410, then the end', async () => {
    const { metadata } = await configMaps().create({ metadata: { name: 'a' } });
    await configMaps().create({ metadata: { name: 'b' } });
    await server.clock.advance(600_000);
    await configMaps().create({ metadata: { name: 'c' } });
    const seen: Seen[] = [];
    for await (const event of configMaps().watch({ resourceVersion: metadata.resourceVersion ?? '' })) seen.push(event);
    expect(seen).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } }]);
  });

  test('bookmarks, if requested', async () => {
    await configMaps().create({ metadata: { name: 'a' } });
    const watch = configMaps().watch({ allowWatchBookmarks: true });
    await watch.next();
    const next = watch.next();
    await server.clock.advance(60_000);
    expect((await next).value).toEqual({
      type: 'BOOKMARK',
      object: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { resourceVersion: (await configMaps().list()).metadata.resourceVersion },
      },
    });
    await watch.return();
  });
});

describe('a watch ends without leaving anything behind', () => {
  test('on leaving the loop', async () => {
    await configMaps().create({ metadata: { name: 'a' } });
    for await (const event of configMaps().watch()) {
      expect([summary(event), await server.watchers()]).toEqual(['ADDED a', 1]);
      break;
    }
    expect(await server.watchers()).toBe(0);
  });

  test('on an exception in the loop', async () => {
    await configMaps().create({ metadata: { name: 'a' } });
    const loop = async (): Promise<void> => {
      for await (const event of configMaps().watch()) throw new Error(summary(event));
    };
    await expect(loop()).rejects.toThrow('ADDED a');
    expect(await server.watchers()).toBe(0);
  });

  test('on its signal, while it waits', async () => {
    const controller = new AbortController();
    const next = configMaps().watch({ signal: controller.signal }).next();
    await server.clock.settle();
    expect(await server.watchers()).toBe(1);
    controller.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(await server.watchers()).toBe(0);
  });

  test('on a signal aborted before', async () => {
    await configMaps().create({ metadata: { name: 'a' } });
    expect(await configMaps().watch({ signal: AbortSignal.abort() }).next()).toEqual({ done: true, value: undefined });
    expect(await server.watchers()).toBe(0);
  });

  test('on its timeout', async () => {
    const next = configMaps().watch({ timeoutSeconds: 5 }).next();
    await server.clock.advance(4_999);
    expect(await server.watchers()).toBe(1);
    await server.clock.advance(1);
    expect(await next).toEqual({ done: true, value: undefined });
    expect(await server.watchers()).toBe(0);
  });

  test('on the end of the server', async () => {
    const next = configMaps().watch().next();
    await server.clock.settle();
    await server.close();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  test('without starting if it is never iterated', async () => {
    configMaps().watch();
    await server.clock.settle();
    expect(await server.watchers()).toBe(0);
  });

  test('for a hundred watchers that each leave at their own time', async () => {
    const controllers = Array.from({ length: 100 }, () => new AbortController());
    const ends = controllers.map(({ signal }) => configMaps().watch({ signal }).next());
    await server.clock.settle();
    expect(await server.watchers()).toBe(100);
    for (const controller of controllers.slice(0, 40)) controller.abort();
    await server.clock.settle();
    expect(await server.watchers()).toBe(60);
    await configMaps().create({ metadata: { name: 'a' } });
    const outcomes = await Promise.all(ends);
    expect(outcomes.filter(({ done }) => done === true)).toHaveLength(40);
    for (const controller of controllers) controller.abort();
    expect(await server.watchers()).toBe(0);
  });
});

describe('abort signals of the other verbs', () => {
  test('end the wait for a future version', async () => {
    const controller = new AbortController();
    const failed = configMaps()
      .get('a', { resourceVersion: '1000', signal: controller.signal })
      .catch((error: unknown) => error);
    await server.clock.settle();
    controller.abort();
    expect(await failed).toBeInstanceOf(Error);
    expect(server.clock.pending).toBe(0);
  });

  const aborted = (): { signal: AbortSignal } => ({ signal: AbortSignal.abort() });

  test.each<[string, () => Promise<unknown>]>([
    ['get', () => configMaps().get('a', aborted())],
    ['list', () => configMaps().list(aborted())],
    ['create', () => configMaps().create({ metadata: { name: 'b' } }, aborted())],
    ['update', () => configMaps().update({ metadata: { name: 'a' }, data: { x: '2' } }, aborted())],
    ['delete', () => configMaps().delete('a', aborted())],
    ['deleteCollection', () => configMaps().deleteCollection(aborted())],
  ])('%s with an aborted signal rejects with its reason and changes nothing', async (_verb, act) => {
    await configMaps().create({ metadata: { name: 'a' }, data: { x: '1' } });
    const before = await configMaps().list();
    await expect(act()).rejects.toMatchObject({ name: 'AbortError' });
    expect(await configMaps().list()).toEqual(before);
  });
});
