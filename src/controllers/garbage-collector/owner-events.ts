import {
  apiVersionOf,
  definedOnly,
  formatTime,
  goQuote,
  type Clock,
  type Dialect,
  type OwnerReference,
} from '../../foundation/index.js';
import { isNamespaceTerminating } from '../runtime/failures.js';
import type { ServedKinds } from '../runtime/served-kinds.js';
import type { GraphNode } from './node.js';

/** An object and its reference to an owner in another namespace. */
export interface ForeignOwner {
  readonly dependent: GraphNode;
  readonly reference: OwnerReference;
}

const COMPONENT = 'garbage-collector-controller';
const NANOSECONDS_PER_MS = 1_000_000n;

/** Reports references to owners in other namespaces as Events of the dependents. */
export class OwnerEvents {
  readonly #kinds: ServedKinds;
  readonly #dialect: Dialect;
  readonly #clock: Clock;
  /** The last time used in an Event name; each time must be unique. */
  #lastStamp = 0n;

  constructor(kinds: ServedKinds, dialect: Dialect, clock: Clock) {
    this.#kinds = kinds;
    this.#dialect = dialect;
    this.#clock = clock;
  }

  /** Creates the Event. Does nothing when the server does not serve Events or the namespace is terminating. */
  async report({ dependent, reference }: ForeignOwner): Promise<void> {
    const events = this.#kinds.find(apiVersionOf('', 'v1'), 'Event');
    if (events === undefined || dependent.kind === undefined) return;
    const namespace = dependent.namespace === '' ? this.#dialect.namespaces.default : dependent.namespace;
    const now = formatTime(this.#clock.now());
    const event = {
      metadata: { name: `${dependent.name}.${this.#stamp()}`, namespace },
      involvedObject: {
        kind: dependent.kind.kind,
        ...definedOnly({ namespace: dependent.namespace === '' ? undefined : dependent.namespace }),
        name: dependent.name,
        uid: dependent.uid,
        apiVersion: dependent.kind.apiVersion,
      },
      reason: 'OwnerRefInvalidNamespace',
      message: eventMessage(dependent, reference),
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
      if (!isNamespaceTerminating(error)) throw error;
    }
  }

  #stamp(): string {
    const now = BigInt(Math.floor(this.#clock.now())) * NANOSECONDS_PER_MS;
    this.#lastStamp = now > this.#lastStamp ? now : this.#lastStamp + 1n;
    return this.#lastStamp.toString(16);
  }
}

function eventMessage({ namespace }: GraphNode, { apiVersion, kind, name, uid }: OwnerReference): string {
  return `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace ${goQuote(namespace)}`;
}
