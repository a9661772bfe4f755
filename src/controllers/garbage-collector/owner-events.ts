import type { Clock } from '../../meta/clock.js';
import { goQuote } from '../../meta/go-text.js';
import { apiVersionOf, type OwnerReference } from '../../meta/object.js';
import { formatTime } from '../../meta/time.js';
import type { Dialect } from '../../names/dialect.js';
import { isNamespaceEnding } from '../failures.js';
import type { ServedKinds } from '../served-kinds.js';
import type { GraphNode } from './node.js';

/** An object that names an owner which it cannot have. */
export interface ForeignOwner {
  readonly dependant: GraphNode;
  readonly reference: OwnerReference;
}

const COMPONENT = 'garbage-collector-controller';
const NANOSECONDS = 1_000_000n;

/** Reports, as Events of the dependants, references to owners of other namespaces. */
export class OwnerEvents {
  readonly #kinds: ServedKinds;
  readonly #dialect: Dialect;
  readonly #clock: Clock;
  /** Names of events end in a time, which must not occur twice. */
  #lastStamp = 0n;

  constructor(kinds: ServedKinds, dialect: Dialect, clock: Clock) {
    this.#kinds = kinds;
    this.#dialect = dialect;
    this.#clock = clock;
  }

  /** Creates the Event. Does nothing when the server has no Events, or the namespace is ending. */
  async report({ dependant, reference }: ForeignOwner): Promise<void> {
    const events = this.#kinds.find(apiVersionOf('', 'v1'), 'Event');
    if (events === undefined || dependant.kind === undefined) return;
    const namespace = dependant.namespace === '' ? this.#dialect.namespaces.default : dependant.namespace;
    const now = formatTime(this.#clock.now());
    const event = {
      metadata: { name: `${dependant.name}.${this.#stamp()}`, namespace },
      involvedObject: {
        kind: dependant.kind.kind,
        ...(dependant.namespace === '' ? {} : { namespace: dependant.namespace }),
        name: dependant.name,
        uid: dependant.uid,
        apiVersion: dependant.kind.apiVersion,
      },
      reason: 'OwnerRefInvalidNamespace',
      message: messageOf(dependant, reference),
      source: { component: COMPONENT },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      type: 'Warning',
      reportingComponent: COMPONENT,
    };
    try {
      await events.client.namespace(namespace).create(event);
    } catch (error) {
      if (!isNamespaceEnding(error)) throw error;
    }
  }

  #stamp(): string {
    const now = BigInt(Math.floor(this.#clock.now())) * NANOSECONDS;
    this.#lastStamp = now > this.#lastStamp ? now : this.#lastStamp + 1n;
    return this.#lastStamp.toString(16);
  }
}

function messageOf({ namespace }: GraphNode, { apiVersion, kind, name, uid }: OwnerReference): string {
  return `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace ${goQuote(namespace)}`;
}
