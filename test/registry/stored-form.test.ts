import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigMap, Event, EventEventsV1 } from '../../src/kinds/builtin/index.js';
import { controllerNames } from '../../src/entries/controllers.js';
import { refusal } from './registry.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import type { Storage } from '../../src/entries/storage.js';
import { createManualClock, startTestServer, type TestServer } from '../../src/entries/testing.js';

const FAMILIAR = '/registry/configmaps/default/a';
const STRANGE = '/registry/configmaps/default/strange';

/** Values that a later version of the program, or another one, may have stored in place of ConfigMaps. */
const strange: readonly [what: string, message: string, (revision: number) => string][] = [
  [
    'a later version of the kind',
    `what is stored under ${STRANGE} cannot be read: no kind "ConfigMap" is registered for version "v9"`,
    (revision) =>
      JSON.stringify({
        kind: 'ConfigMap',
        apiVersion: 'v9',
        metadata: { name: 'strange', namespace: 'default', resourceVersion: String(revision) },
        entries: [],
      }),
  ],
  [
    'another kind',
    `what is stored under ${STRANGE} cannot be read: no kind "Blueprint" is registered for version "v1"`,
    (revision) =>
      JSON.stringify({
        kind: 'Blueprint',
        apiVersion: 'v1',
        metadata: { name: 'strange', namespace: 'default', resourceVersion: String(revision) },
      }),
  ],
  ['no object', `the value stored under ${STRANGE} is not an object`, () => '"nonsense"'],
  ['no JSON', `the value stored under ${STRANGE} is not an object`, () => 'nonsense'],
];

describe('a stored value', () => {
  let storage: Storage;
  let running: TestServer;
  const maps = () => running.client.resource(ConfigMap).namespace('default');
  beforeEach(async () => {
    storage = createMemoryStorage({ clock: createManualClock() });
    running = await startTestServer({ storage, controllers: { disable: controllerNames } });
    await running.settled();
    await maps().create({ metadata: { name: 'a' } });
  });
  afterEach(() => running.close());

  describe.each(strange)('as %s', (_what, message, encode) => {
    const answer = { code: 500, reason: 'InternalError', message: `Internal error occurred: ${message}` };
    beforeEach(async () => {
      await storage.create(STRANGE, encode);
    });

    test('is rejected by every verb, and left unchanged', async () => {
      const before = await storage.get(STRANGE);
      const object = { metadata: { name: 'strange' }, data: { a: 'b' } };
      expect(await refusal(maps().get('strange'))).toMatchObject(answer);
      expect(await refusal(maps().list())).toMatchObject(answer);
      expect(await refusal(maps().list({ labelSelector: 'a!=b' }))).toMatchObject(answer);
      expect(await refusal(maps().update(object))).toMatchObject(answer);
      expect(await refusal(maps().patch('strange', { data: { a: 'b' } }, { type: 'merge' }))).toMatchObject(answer);
      expect(await refusal(maps().apply(object, { fieldManager: 'tester' }))).toMatchObject(answer);
      expect(await refusal(maps().delete('strange'))).toMatchObject(answer);
      expect(await refusal(maps().create(object))).toMatchObject({ code: 409, reason: 'AlreadyExists' });
      expect(await storage.get(STRANGE)).toEqual(before);
      expect((await maps().get('a')).metadata.name).toBe('a');
    });

    test('ends the watches that would return it, with the reason', async () => {
      const events: unknown[] = [];
      for await (const event of maps().watch()) events.push(event);
      expect(events.slice(0, -1)).toMatchObject([{ type: 'ADDED', object: { metadata: { name: 'a' } } }]);
      expect(events.at(-1)).toMatchObject({ type: 'ERROR', object: answer });
    });
  });

  test('written meanwhile by another program ends the running watches', async () => {
    const [, message, encode] = strange[0] ?? [];
    const { resourceVersion } = (await maps().list()).metadata;
    const all = maps()
      .watch({ resourceVersion: resourceVersion ?? '' })
      [Symbol.asyncIterator]();
    const selected = maps()
      .watch({ resourceVersion: resourceVersion ?? '', labelSelector: 'a!=b' })
      [Symbol.asyncIterator]();
    const reported = Promise.all([all.next(), selected.next()]);
    await storage.create(STRANGE, encode ?? String);
    for (const { value } of await reported)
      expect(value).toMatchObject({
        type: 'ERROR',
        object: { code: 500, message: `Internal error occurred: ${message}` },
      });
    expect(await Promise.all([all.next(), selected.next()])).toMatchObject([{ done: true }, { done: true }]);
  });

  test('with its fields in another order is the same object', async () => {
    const { record } = await storage.get(FAMILIAR);
    const { kind, apiVersion, ...rest } = JSON.parse(record?.text ?? '') as {
      kind: string;
      apiVersion: string;
      metadata: object;
    };
    await storage.update(
      FAMILIAR,
      (revision) =>
        JSON.stringify({
          metadata: { ...rest.metadata, resourceVersion: String(revision) },
          apiVersion,
          kind,
          data: { a: 'b' },
        }),
      record?.modRevision ?? 0,
    );
    expect(await maps().get('a')).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { a: 'b' } });
    expect((await maps().list()).items).toMatchObject([{ metadata: { name: 'a' }, data: { a: 'b' } }]);
    expect(await maps().update({ metadata: { name: 'a' }, data: { c: 'd' } })).toMatchObject({ data: { c: 'd' } });
  });

  test('in one version serves every version of the kind, and no other kind', async () => {
    const events = running.client.resource(EventEventsV1).namespace('default');
    await running.client
      .resource(Event)
      .namespace('default')
      .create({
        metadata: { name: 'e' },
        involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
        reason: 'R',
        message: 'hm',
        type: 'Normal',
        source: { component: 'c' },
      });
    expect(await events.get('e')).toMatchObject({ regarding: { name: 'p' }, note: 'hm' });
    await storage.create('/registry/events/default/strange', (revision) =>
      JSON.stringify({
        kind: 'Event',
        apiVersion: 'events.k8s.io/v1',
        metadata: { name: 'strange', namespace: 'default', resourceVersion: String(revision) },
      }),
    );
    expect(await refusal(events.get('strange'))).toMatchObject({ code: 500 });
  });
});
