/**
 * Events of controllers, as client-go's recorder reports them: repeated events increase a count instead of making new
 * objects, and an object with too many events is silenced for a while.
 *
 * @module
 */
import type { Client, ResourceClient } from '../../client/index.js';
import {
  definedOnly,
  dnsSubdomainErrors,
  formatTime,
  LruMap,
  shownText,
  type Clock,
  type Dialect,
  type ObjectMeta,
} from '../../foundation/index.js';
import { Event } from '../../kinds/index.js';
import type { InputOf, ObjectOf } from '../../registry/index.js';
import type { Controller } from './controller.js';
import { EventAggregates, EventBudgets, eventWeight } from './event-limits.js';
import { hasReason, isNamespaceTerminating } from './failures.js';
import { keyedRunner, type KeyedRunner } from './keyed-runner.js';

/** The object that an event is about. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** Severity of an event. */
export type EventType = 'Normal' | 'Warning';

/** Records events of one component. */
export interface EventSink {
  /**
   * Records an event. Returns at once; the event is written afterwards.
   *
   * @param reason a CamelCase word
   * @param message only the beginning of a long one is written
   */
  event(subject: EventSubject, type: EventType, reason: string, message: string): void;
}

/** Options of {@link EventRecorder}. */
export interface EventRecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: { readonly namespaces: Pick<Dialect['namespaces'], 'default'> };
  /** Called with the error of each event that cannot be written. */
  readonly onError: (error: unknown) => void;
}

/** An event with all of its occurrences. */
interface Series {
  readonly namespace: string;
  /** Fields that all occurrences share. */
  readonly event: Omit<InputOf<typeof Event>, 'metadata'>;
  /** Name of the stored object. */
  name: string;
  message: string;
  count: number;
  firstMs: number;
  lastMs: number;
  /** Whether the object exists, as far as the recorder knows. */
  stored: boolean;
}

/** Maximum number of series that are remembered, fewer with long messages; the least recent is forgotten first. */
const MAX_SERIES = 4096;
const NANOSECONDS_PER_MS = 1_000_000n;

/** Records the events of all controllers of a server. It runs like a controller: {@link EventRecorder.controller}. */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #events: ResourceClient<ObjectOf<typeof Event>, InputOf<typeof Event>>;
  readonly #series = new LruMap<string, Series>(MAX_SERIES, { weigh: (_series, key) => eventWeight(key.length) });
  readonly #budgets: EventBudgets;
  readonly #aggregates: EventAggregates;
  readonly #writes: KeyedRunner<Series>;
  /** The last time used in the name of an event; each time must be unique. */
  #lastStamp = 0n;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#events = options.client.resource(Event);
    this.#budgets = new EventBudgets(options.clock);
    this.#aggregates = new EventAggregates(options.clock);
    this.#writes = keyedRunner<Series>(options, {
      name: 'event-recorder',
      gathers: true,
      maxRetries: 0,
      reconcile: (series) => this.#write(series),
    });
  }

  /** The recorder as a controller: it stops with the others, and is settled when every event is written. */
  controller(): Controller {
    return this.#writes;
  }

  /**
   * Returns the sink of a component.
   *
   * @param component name of the controller, such as `replicaset-controller`
   */
  of(component: string): EventSink {
    return {
      event: (subject, type, reason, message) => this.#record(component, subject, type, reason, message),
    };
  }

  #record(component: string, subject: EventSubject, type: EventType, reason: string, whole: string): void {
    const message = shownText(whole);
    const { uid = '', namespace = '', name = '' } = subject.metadata;
    const about = JSON.stringify([component, subject.apiVersion, subject.kind, namespace, name, uid]);
    const similar = `${about}${type}/${reason}`;
    const aggregate = this.#aggregates.add(similar, message);
    const text = aggregate ? `(combined from similar events): ${message}` : message;
    // Events that are combined are one series, whatever their messages are.
    const key = aggregate ? similar : `${similar}/${message}`;
    const series = this.#occurred(key, () => this.#newSeries(component, subject, type, reason, text));
    series.message = text;
    if (this.#budgets.spend(about)) this.#writes.add(series);
  }

  /** Counts an occurrence, and returns its series. */
  #occurred(key: string, create: () => Series): Series {
    const known = this.#series.get(key);
    if (known === undefined) {
      const series = create();
      this.#series.set(key, series);
      return series;
    }
    known.count += 1;
    known.lastMs = this.#options.clock.now();
    return known;
  }

  #newSeries(component: string, subject: EventSubject, type: EventType, reason: string, message: string): Series {
    const { apiVersion, kind, metadata } = subject;
    const { name = '', namespace = '', uid, resourceVersion } = metadata;
    const now = this.#options.clock.now();
    return {
      namespace: namespace === '' ? this.#options.dialect.namespaces.default : namespace,
      event: {
        involvedObject: {
          ...{ apiVersion, kind, name },
          ...definedOnly({ namespace: namespace === '' ? undefined : namespace, uid, resourceVersion }),
        },
        ...{ type, reason },
        source: { component },
        reportingComponent: component,
      },
      name: this.#eventName(name, uid),
      message,
      count: 1,
      firstMs: now,
      lastMs: now,
      stored: false,
    };
  }

  /** Returns a name after that of the subject; names that events cannot have are replaced by the subject's UID. */
  #eventName(subject: string, uid = 'unknown'): string {
    const stamp = this.#stamp();
    const name = `${subject}.${stamp}`;
    return dnsSubdomainErrors(name).length === 0 ? name : `${uid}.${stamp}`;
  }

  #stamp(): string {
    const now = BigInt(Math.floor(this.#options.clock.now())) * NANOSECONDS_PER_MS;
    this.#lastStamp = now > this.#lastStamp ? now : this.#lastStamp + 1n;
    return this.#lastStamp.toString(16);
  }

  async #write(series: Series): Promise<void> {
    try {
      if (series.stored && (await this.#writeCount(series))) return;
      await this.#create(series);
    } catch (error) {
      // A namespace that is being deleted accepts no events, and needs none.
      if (!isNamespaceTerminating(error)) throw error;
    }
  }

  /** Writes the count of a stored event. Returns false when the event has expired. */
  async #writeCount({ namespace, name, message, count, lastMs }: Series): Promise<boolean> {
    try {
      const change = { message, count, lastTimestamp: formatTime(lastMs) };
      await this.#events.namespace(namespace).patch(name, change);
      return true;
    } catch (error) {
      if (hasReason(error, 'NotFound')) return false;
      throw error;
    }
  }

  async #create(series: Series): Promise<void> {
    const { namespace, event, message, count, firstMs, lastMs } = series;
    series.stored = true;
    for (;;) {
      try {
        await this.#events.namespace(namespace).create({
          ...event,
          metadata: { name: series.name, namespace },
          ...{ message, count },
          firstTimestamp: formatTime(firstMs),
          lastTimestamp: formatTime(lastMs),
        });
        return;
      } catch (error) {
        // A recorder on the same store used the name, at the same time of a clock that stands still.
        if (hasReason(error, 'AlreadyExists')) {
          const { name, uid } = event.involvedObject;
          series.name = this.#eventName(name ?? '', uid);
          continue;
        }
        series.stored = false;
        throw error;
      }
    }
  }
}
