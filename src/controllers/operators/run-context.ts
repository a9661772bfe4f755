import { ScopedBackend, type Call, type Client } from '../../client/index.js';
import { aDuration, checkArgument, durationMs, type Clock } from '../../foundation/index.js';
import type { EventSink } from '../runtime/event-recorder.js';
import type { AnyObject, AnyResource } from '../runtime/served-kinds.js';
import { applyDependent, applyExactly, type DependentWriter } from './dependents.js';
import type { Followed } from './own-calls.js';
import { RunCaches, type RunCachesParts } from './run-caches.js';
import { resourceOf, type KindLike, type Source } from '../runtime/sources.js';
import type { ReconcileContext } from './spec.js';
import { writeStatus } from './status.js';

/** The parts of a controller that its runs use. */
export interface RunParts {
  /** Name of the controller. */
  readonly name: string;
  readonly client: Client;
  readonly clock: Clock;
  /** Called before each call of a run. @throws what the call throws when it must not be made */
  readonly check: () => void;
  readonly kind: KindLike;
  readonly owns: readonly Followed[];
  readonly caches: RunCachesParts;
  readonly events: EventSink;
}

/** One run of a controller. */
export interface RunOf {
  readonly key: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** The object as the cache has it. */
  readonly object: AnyObject;
  /** Called with each call of the run that has succeeded. */
  answered(call: Call, answer: unknown): void;
}

/** An object during a run, with what the run has written. */
export class RunState {
  /** The newest state of the object that the run knows. */
  object: AnyObject;
  /** Time after which the object runs again, in milliseconds; Infinity for never. */
  requeueMs = Infinity;
  readonly context: ReconcileContext;
  readonly resource: AnyResource;
  readonly #uid: string | undefined;

  constructor(parts: RunParts, run: RunOf) {
    this.object = run.object;
    this.#uid = run.object.metadata.uid;
    const caches = new RunCaches(parts.caches);
    const client = clientOf(parts, run, caches, (answer) => this.#learn(answer));
    this.resource = resourceOf(client, parts.kind).namespace(run.object.metadata.namespace ?? '');
    this.context = this.#contextOf(parts, run, client, caches);
  }

  /** Keeps the answer of a write to the object itself. */
  #learn(answer: unknown): void {
    if (typeof answer !== 'object' || answer === null || !('metadata' in answer)) return;
    const object = answer as AnyObject;
    if (this.#uid !== undefined && object.metadata.uid === this.#uid && 'kind' in object) this.object = object;
  }

  #contextOf(
    { clock, owns, events, name }: RunParts,
    { key, attempt, signal, object }: RunOf,
    client: Client,
    caches: RunCaches,
  ): ReconcileContext {
    const writer: DependentWriter = { client, owner: object, manager: name, caches };
    const { generation } = object.metadata;
    const context: Omit<ReconcileContext, 'apply' | 'owned' | 'setStatus'> & UntypedContext = {
      ...{ key, attempt, signal, clock, client, cached: caches.cached },
      owned: (source) => caches.owned(source, object),
      apply: async (kind, intended) => applyDependent(writer, kind, intended),
      applyExactly: (intents) => applyExactly(writer, owns, intents),
      setStatus: (fields, ...conditions) =>
        writeStatus(this.resource, this.object, { fields, conditions, generation }, clock),
      event: (type, reason, message) => events.event(object, type, reason, message),
      requeueAfter: (delay) => {
        checkArgument('requeueAfter', 'delay', delay, aDuration);
        this.requeueMs = Math.min(this.requeueMs, durationMs(delay));
      },
    };
    // The kinds of the specification, which the context is passed to, give the types of its objects.
    return context as ReconcileContext;
  }
}

/** The members of a context whose types depend on kinds, without these types. */
interface UntypedContext {
  owned(source: Source): AnyObject[];
  apply(kind: KindLike, object: AnyObject): Promise<AnyObject>;
  setStatus(
    fields: Readonly<Record<string, unknown>>,
    ...conditions: Parameters<ReconcileContext['setStatus']>[1][]
  ): Promise<AnyObject>;
}

/** Returns the client of a run: its writes have the controller's name, and its calls end with the run. */
function clientOf(
  { client, name, check }: RunParts,
  run: RunOf,
  caches: RunCaches,
  learn: (answer: unknown) => void,
): Client {
  const backend = new ScopedBackend(client.backend, {
    signal: run.signal,
    check,
    answered(call, answer) {
      run.answered(call, answer);
      caches.learn(call, answer);
      if (call.verb !== 'list' && call.verb !== 'delete' && call.form === 'whole') learn(answer);
    },
  });
  return client.over(backend, { fieldManager: name });
}
