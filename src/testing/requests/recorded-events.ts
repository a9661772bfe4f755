import {
  aName,
  checkOptions,
  either,
  isJsonObject,
  matching,
  stringOrEmpty,
  type JsonObject,
  type JsonValue,
  type OptionChecks,
} from '../../foundation/index.js';
import type { ServedResource } from '../../registry/index.js';
import { wildcards } from '../faults/match.js';
import type { Journal } from '../past/journal.js';
import { objectOf } from '../past/object-version.js';

/** Selects Events. Absent members select everything; a `*` stands for any characters. */
export interface EventMatch {
  readonly reason?: string | undefined;
  /** `Normal` or `Warning`. */
  readonly type?: string | undefined;
  readonly message?: string | undefined;
  /** Namespace of the Event. */
  readonly namespace?: string | undefined;
  /** The object that the Event is about: its name, or an object whose kind, namespace and name are compared. */
  readonly object?:
    | string
    | {
        readonly kind?: string | undefined;
        readonly metadata?: { readonly name?: string | undefined; readonly namespace?: string | undefined } | undefined;
      }
    | undefined;
}

/** An Event about an object. */
export interface RecordedEvent {
  readonly reason: string;
  readonly type: string;
  readonly message: string;
  readonly namespace: string;
  /** The object that it is about. */
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
  /** Number of times that it was recorded. */
  readonly count: number;
  /** The component that reported it. */
  readonly reporter: string;
}

const anObject = matching(
  'the name of an object, or an object',
  (value) => typeof value === 'object' && value !== null,
);
const checks: OptionChecks<EventMatch> = {
  reason: aName,
  type: aName,
  message: aName,
  namespace: aName,
  object: either(aName, anObject),
};

/**
 * Returns the Events that were recorded since the test began, also those that have expired, in the order of their first
 * record.
 *
 * @throws TypeError for an unknown member of the match
 */
export function recordedEvents(
  journal: Journal,
  served: readonly ServedResource[],
  match: EventMatch = {},
): RecordedEvent[] {
  checkOptions('events', match, checks);
  const prefix = served.find(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Event')?.keyPrefix;
  const found = new Map<string, RecordedEvent>();
  for (const { event } of journal.entries) {
    if (prefix === undefined || !event.key.startsWith(prefix) || event.type === 'delete') continue;
    found.set(event.key, eventOf(objectOf(event.record) ?? {}));
  }
  return [...found.values()].filter((event) => matches(event, match));
}

function eventOf(object: JsonObject): RecordedEvent {
  const about = membersOf(object['involvedObject'] ?? object['regarding']);
  const source = membersOf(object['source']);
  const series = membersOf(object['series']);
  const count = series['count'] ?? object['count'];
  return {
    reason: stringOrEmpty(object['reason']),
    type: stringOrEmpty(object['type']),
    message: stringOrEmpty(object['message'] ?? object['note']),
    namespace: stringOrEmpty(membersOf(object['metadata'])['namespace']),
    object: {
      kind: stringOrEmpty(about['kind']),
      namespace: stringOrEmpty(about['namespace']),
      name: stringOrEmpty(about['name']),
    },
    count: typeof count === 'number' ? count : 1,
    reporter: stringOrEmpty(object['reportingComponent']) || stringOrEmpty(source['component']),
  };
}

function matches(event: RecordedEvent, { reason, type, message, namespace, object }: EventMatch): boolean {
  const is = (pattern: string | undefined, text: string): boolean => pattern === undefined || wildcards(pattern)(text);
  if (!is(reason, event.reason) || !is(type, event.type) || !is(message, event.message)) return false;
  if (!is(namespace, event.namespace)) return false;
  if (object === undefined) return true;
  if (typeof object === 'string') return is(object, event.object.name);
  return (
    is(object.kind, event.object.kind) &&
    is(object.metadata?.name, event.object.name) &&
    is(object.metadata?.namespace, event.object.namespace)
  );
}

const membersOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});

/** Returns an Event in one line. */
export function eventLine({ type, reason, object, message, count }: RecordedEvent): string {
  const times = count > 1 ? ` (${count} times)` : '';
  return `${type} ${reason} ${object.kind} ${object.namespace === '' ? '' : `${object.namespace}/`}${object.name}: ${message}${times}`;
}
