import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import type { ResourceDefinition } from '../../../../src/registry/index.js';
import { Event, EventEventsV1 } from '../../../../src/kinds/builtin/index.js';
import { eventFromCore, eventToCore } from '../../../../src/kinds/builtin/events/conversion.js';
import { cells, context, create, decode, freeze, problems, texts } from '../support.js';

const metadata = { name: 'e', namespace: 'n' };
const involvedObject = { kind: 'Pod', namespace: 'n', name: 'p', fieldPath: 'spec.containers{c}' };
const modern = {
  metadata,
  eventTime: '2024-05-01T11:00:00.000000Z',
  reportingController: 'example.com/c',
  reportingInstance: 'c-1',
  action: 'Run',
  reason: 'Ran',
  regarding: involvedObject,
  note: 'ran it',
  type: 'Normal',
};
const legacy = {
  metadata,
  involvedObject,
  reason: 'Ran',
  message: 'ran it',
  source: { component: 'c', host: 'h' },
  firstTimestamp: '2024-05-01T11:00:00Z',
  lastTimestamp: '2024-05-01T11:50:00Z',
  count: 3,
  type: 'Warning',
};

describe('decoding', () => {
  it('writes the JSON of Kubernetes, with null for missing times', () => {
    expect(decode(Event, { involvedObject: {} })).toMatchObject({
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    });
    expect(decode(EventEventsV1, {})).toMatchObject({
      eventTime: null,
      regarding: {},
      deprecatedSource: {},
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
    });
  });
});

describe('conversion', () => {
  it('renames fields', () => {
    expect(eventToCore(create(EventEventsV1, modern))).toMatchObject({
      apiVersion: 'v1',
      kind: 'Event',
      involvedObject,
      message: 'ran it',
      reportingComponent: 'example.com/c',
      source: {},
      firstTimestamp: null,
    });
    expect(eventFromCore(create(Event, legacy))).toMatchObject({
      regarding: involvedObject,
      note: 'ran it',
      deprecatedSource: { component: 'c', host: 'h' },
      deprecatedCount: 3,
      deprecatedFirstTimestamp: '2024-05-01T11:00:00Z',
    });
  });

  const text = fc.option(fc.constantFrom('', 'a', 'b c'), { nil: undefined });
  const time = fc.option(fc.constant('2024-05-01T11:00:00Z'), { nil: undefined });
  const anyEvent = fc.record({
    reason: text,
    message: text,
    type: text,
    action: text,
    reportingComponent: text,
    reportingInstance: text,
    firstTimestamp: time,
    lastTimestamp: time,
    count: fc.option(fc.nat(9), { nil: undefined }),
    source: fc.record({ component: text }),
    involvedObject: fc.record({ kind: text, name: text }),
  });
  const clean = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value));

  it('is its own inverse, and makes new objects', () => {
    fc.assert(
      fc.property(anyEvent, (fields) => {
        const stored = create(Event, clean({ metadata, ...fields }));
        const there = eventFromCore(stored);
        expect(eventToCore(freeze(there))).toEqual(stored);
        expect(eventFromCore(eventToCore(there))).toEqual({ ...there, apiVersion: 'v1' });
        // The result must be readable with the other version's schema.
        const { apiVersion: _, ...read } = decode(EventEventsV1, there);
        const { apiVersion: __, ...converted } = there;
        expect(read).toEqual(converted);
      }),
    );
  });
});

describe('rules of either group', () => {
  it.each<[string, JsonObject, string[]]>([
    ['an older event', legacy, []],
    [
      'another namespace',
      { ...legacy, involvedObject: { namespace: 'x' } },
      ['involvedObject.namespace: Invalid value: "x": does not match event.namespace'],
    ],
    [
      'a cluster-scoped object outside of default',
      { ...legacy, involvedObject: { kind: 'Node' } },
      ['involvedObject.namespace: Invalid value: "": does not match event.namespace'],
    ],
    [
      'a cluster-scoped object in default',
      { ...legacy, metadata: { name: 'e', namespace: 'default' }, involvedObject: { kind: 'Node' } },
      [],
    ],
    [
      'a newer event without its fields',
      { metadata, involvedObject, eventTime: '2024-05-01T11:00:00.000000Z' },
      [
        'reportingComponent: Required value',
        expect.stringMatching(/^reportingComponent: Invalid value: "": name part must be non-empty$/),
        expect.stringMatching(/^reportingComponent: Invalid value: "": name part must consist/),
        'reportingInstance: Required value',
        'action: Required value',
        'reason: Required value',
      ],
    ],
    [
      'a long message',
      {
        metadata,
        involvedObject,
        eventTime: '2024-05-01T11:00:00.000000Z',
        reportingComponent: 'c',
        reportingInstance: 'i',
        action: 'a',
        reason: 'r',
        message: 'x'.repeat(1025),
      },
      ['message: Invalid value: "": can have at most 1024 characters'],
    ],
  ])('%s', (_name, event, expected) => expect(problems(Event, event)).toEqual(expected));
});

describe('rules of the events group', () => {
  it.each<[string, JsonObject, string[]]>([
    ['a valid event', modern, []],
    [
      'older fields',
      {
        ...modern,
        deprecatedCount: 1,
        deprecatedSource: { component: 'c' },
        deprecatedFirstTimestamp: '2024-05-01T11:00:00Z',
        deprecatedLastTimestamp: '2024-05-01T11:00:00Z',
      },
      [
        'firstTimestamp: Invalid value: "": needs to be unset',
        'lastTimestamp: Invalid value: "": needs to be unset',
        'count: Invalid value: "": needs to be unset',
        'source: Invalid value: "": needs to be unset',
      ],
    ],
    ['no time', { metadata, regarding: involvedObject, type: 'Normal' }, ['eventTime: Required value']],
    ['a type', { ...modern, type: 'Odd' }, ['type: Invalid value: "": has invalid value: Odd']],
    [
      'a series of one',
      { ...modern, series: { count: 1 } },
      ['series.count: Invalid value: "": should be at least 2', 'series.lastObservedTime: Required value'],
    ],
  ])('%s', (_name, event, expected) => expect(problems(EventEventsV1, event)).toEqual(expected));

  it('allow changes to the series only', () => {
    const old = create(EventEventsV1, modern);
    const { strategy }: ResourceDefinition = EventEventsV1;
    const change = (fields: JsonObject) =>
      texts(strategy?.validateUpdate?.(create(EventEventsV1, { ...modern, ...fields }), old, context));
    expect(change({ series: { count: 2, lastObservedTime: '2024-05-01T11:30:00.000000Z' } })).toEqual([]);
    expect(change({ note: 'x', reportingController: 'y' })).toEqual([
      'message: Invalid value: "x": field is immutable',
      'reportingController: Invalid value: "y": field is immutable',
    ]);
    // The old object may be in its stored form.
    expect(texts(strategy?.validateUpdate?.(old, eventToCore(old), context))).toEqual([]);
  });
});

describe('columns and selectors', () => {
  it('are the same in both groups', () => {
    const expected = {
      'Last Seen': '10m',
      Type: 'Warning',
      Reason: 'Ran',
      Object: 'pod/p',
      Subobject: 'spec.containers{c}',
      Source: 'c, h',
      Message: 'ran it',
      'First Seen': '60m',
      Count: 3,
      Name: 'e',
    };
    const stored = create(Event, legacy);
    expect(cells(Event, stored)).toEqual(expected);
    expect(cells(EventEventsV1, freeze(eventFromCore(stored)))).toEqual(expected);
  });

  it('of a newer event show its series, or a count of one', () => {
    const event = create(EventEventsV1, modern);
    expect(cells(EventEventsV1, event)).toMatchObject({ 'Last Seen': '60m', Source: 'example.com/c, c-1', Count: 1 });
    expect(
      cells(
        EventEventsV1,
        create(EventEventsV1, { ...modern, series: { count: 5, lastObservedTime: '2024-05-01T11:59:00.000000Z' } }),
      ),
    ).toMatchObject({ 'Last Seen': '60s', Count: 5 });
  });

  it('select by the object, and by the reporter', () => {
    const event = create(Event, legacy);
    const fieldsOf = ({ selectableFields }: ResourceDefinition) => selectableFields;
    expect(fieldsOf(Event)?.['involvedObject.name']?.(event)).toBe('p');
    expect(fieldsOf(Event)?.['source']?.(event)).toBe('c');
    expect(fieldsOf(EventEventsV1)?.['regarding.name']?.(freeze(eventFromCore(event)))).toBe('p');
    expect(Event.strategy?.ttl).toBe(3_600_000);
  });
});
