import { describe, expect, test } from 'vitest';
import { EventRecorder } from '../../src/controllers/runtime/event-recorder.js';
import { EventAggregates } from '../../src/controllers/runtime/event-limits.js';
import { runController, stopController } from '../../src/controllers/runtime/controller.js';
import type { AdmissionPlugin } from '../../src/registry/verbs/admission.js';
import { ConfigMap, Event, Namespace } from '../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';

async function recording(test: TestServer) {
  const errors: unknown[] = [];
  const { client, clock, server } = test;
  const recorder = new EventRecorder({
    client,
    clock,
    dialect: server.dialect,
    onError: (error) => errors.push(error),
  });
  const controller = recorder.controller();
  await runController(controller);
  const subject = await client
    .resource(ConfigMap)
    .namespace('default')
    .create({ metadata: { name: 'map' } });
  return {
    errors,
    subject,
    sink: recorder.of('some-controller'),
    other: recorder.of('other-controller'),
    async events() {
      await Promise.all(controller.queues.map((queue) => queue.whenIdle()));
      const { items } = await client.resource(Event).namespace('default').list();
      return items.sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
    },
    [Symbol.asyncDispose]: () => stopController(controller),
  };
}

describe('the event recorder', () => {
  test('writes an event with its subject and its component', async () => {
    await using test = await startTestServer({ dialect: 'kubernetes' });
    await using r = await recording(test);
    r.sink.event(r.subject, 'Warning', 'Broken', 'It is broken.');
    const [event, ...others] = await r.events();
    const { uid, resourceVersion } = r.subject.metadata;
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      metadata: { name: expect.stringMatching(/^map\.[0-9a-f]+$/), namespace: 'default' },
      involvedObject: { kind: 'ConfigMap', apiVersion: 'v1', name: 'map', namespace: 'default', uid, resourceVersion },
      type: 'Warning',
      reason: 'Broken',
      message: 'It is broken.',
      source: { component: 'some-controller' },
      reportingComponent: 'some-controller',
      count: 1,
      firstTimestamp: '2024-01-01T00:00:00Z',
      lastTimestamp: '2024-01-01T00:00:00Z',
    });
  });

  test.each([
    ['a name of the greatest length', 'x'.repeat(253)],
    ['a name that events cannot have', 'system:map'],
  ])('names the event of a subject with %s after its UID', async (_name, name) => {
    await using test = await startTestServer();
    await using r = await recording(test);
    const metadata = { ...r.subject.metadata, name };
    r.sink.event({ ...r.subject, metadata }, 'Normal', 'Done', 'Done.');
    const [event] = await r.events();
    expect(event?.metadata.name).toMatch(new RegExp(`^${r.subject.metadata.uid}\\.[0-9a-f]+$`));
    expect(event?.involvedObject.name).toBe(name);
    expect(r.errors).toEqual([]);
  });

  test('counts repeated events', async () => {
    await using test = await startTestServer();
    await using r = await recording(test);
    r.sink.event(r.subject, 'Normal', 'Done', 'Done.');
    await r.events();
    await test.advance(60_000);
    r.sink.event(r.subject, 'Normal', 'Done', 'Done.');
    r.sink.event(r.subject, 'Normal', 'Done', 'Done.');
    r.sink.event(r.subject, 'Normal', 'Done', 'Something else.');
    r.other.event(r.subject, 'Normal', 'Done', 'Done.');
    const events = await r.events();
    expect(events.map(({ message, count }) => [message, count])).toEqual([
      ['Done.', 3],
      ['Something else.', 1],
      ['Done.', 1],
    ]);
    expect(events[0]).toMatchObject({
      firstTimestamp: '2024-01-01T00:00:00Z',
      lastTimestamp: '2024-01-01T00:01:00Z',
    });
  });

  test('writes the beginning of a long message, and counts it as the same one', async () => {
    await using test = await startTestServer();
    await using r = await recording(test);
    for (let index = 0; index < 2; index += 1) r.sink.event(r.subject, 'Warning', 'Broken', 'x'.repeat(1_000_000));
    const events = await r.events();
    expect(events).toMatchObject([{ message: `${'x'.repeat(16_384)}… (983,616 more)`, count: 2 }]);
  });

  test('creates an event again that has expired', async () => {
    await using test = await startTestServer();
    await using r = await recording(test);
    r.sink.event(r.subject, 'Normal', 'Done', 'Done.');
    await r.events();
    await test.client.resource(Event).namespace('default').deleteCollection();
    r.sink.event(r.subject, 'Normal', 'Done', 'Done.');
    expect((await r.events()).map(({ count }) => count)).toEqual([2]);
  });

  test('combines events that differ by their messages only, from the tenth on', async () => {
    await using test = await startTestServer();
    await using r = await recording(test);
    for (let index = 0; index < 12; index += 1) r.sink.event(r.subject, 'Normal', 'Made', `Made ${index}.`);
    const events = await r.events();
    expect(events).toHaveLength(10);
    expect(events.at(-1)).toMatchObject({ message: '(combined from similar events): Made 11.', count: 3 });
    await test.advance(601_000);
    r.sink.event(r.subject, 'Normal', 'Made', 'Made 12.');
    expect((await r.events()).at(-1)?.message).toBe('Made 12.');
  });

  test('writes at most 25 events about an object, and one more after five minutes', async () => {
    await using test = await startTestServer();
    await using r = await recording(test);
    for (let index = 0; index < 40; index += 1) r.sink.event(r.subject, 'Normal', `Made${index}`, 'Made.');
    expect(await r.events()).toHaveLength(25);
    await test.advance(300_000);
    for (let index = 0; index < 2; index += 1) r.sink.event(r.subject, 'Normal', `Again${index}`, 'Again.');
    expect(await r.events()).toHaveLength(26);
  });

  test('drops events of a namespace that is being deleted, and reports other failures once', async () => {
    const refuse: AdmissionPlugin = {
      name: 'Refuse',
      operations: ['CREATE'],
      validate: ({ object }) => {
        if (object?.['reason'] === 'Refused') throw new Error('no');
      },
    };
    await using test = await startTestServer({ admission: { plugins: [refuse] } });
    await using r = await recording(test);
    const namespaces = test.client.resource(Namespace);
    await namespaces.create({ metadata: { name: 'gone', finalizers: ['example.com/wait'] } });
    await namespaces.delete('gone');
    r.sink.event({ ...r.subject, metadata: { ...r.subject.metadata, namespace: 'gone' } }, 'Normal', 'Done', 'Done.');
    await r.events();
    expect(r.errors).toEqual([]);
    r.sink.event(r.subject, 'Normal', 'Refused', 'Refused.');
    await r.events();
    expect(r.errors).toHaveLength(1);
  });
});

test('messages of similar events are remembered up to their length', async () => {
  await using test = await startTestServer();
  const addAll = (aggregates: EventAggregates, characters: number): boolean[] => {
    // Nine messages of each group are told apart; the tenth is combined with them.
    for (let group = 0; group < 100; group += 1)
      for (let index = 0; index < 9; index += 1) aggregates.add(`group-${group}`, `${index}${'x'.repeat(characters)}`);
    return [99, 0].map((group) => aggregates.add(`group-${group}`, 'the tenth'));
  };
  expect(addAll(new EventAggregates(test.clock), 10)).toEqual([true, true]);
  expect(addAll(new EventAggregates(test.clock), 16_384)).toEqual([true, false]);
});
