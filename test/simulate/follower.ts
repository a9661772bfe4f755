import type { ListParameters, ObjectList, WatchEvent, WatchParameters } from '../../src/client/client.js';
import { Informer } from '../../src/controllers/runtime/informer.js';
import type { Clock } from '../../src/foundation/time/clock.js';
import { ConfigMap } from '../../src/kinds/builtin/index.js';
import type { Ledger } from './ledger.js';
import type { Network } from './network.js';

type Followed = Awaited<ReturnType<Informed['list']>>['items'][number];
type Informed = ReturnType<typeof configMaps>;
const configMaps = (client: import('../../src/client/client.js').Client) => client.resource(ConfigMap);

const PREFIX = '/registry/configmaps/';

/** An informer of all ConfigMaps, which asks the servers in turn. */
export class FollowingInformer {
  readonly #informer: Informer<Followed>;
  readonly #label: string;

  constructor(network: Network, clock: Clock, number: number) {
    this.#label = `informer ${number}`;
    let asked = number;
    const next = (): number => (asked = (asked + 1) % network.servers.length);
    this.#informer = new Informer<Followed>({
      source: {
        list: (parameters: ListParameters): Promise<ObjectList<Followed>> =>
          network.ask(next(), this.#label, (client) => configMaps(client).list(withoutSignal(parameters))),
        watch: (parameters: WatchParameters): AsyncIterable<WatchEvent<Followed>> =>
          network.watch(
            next(),
            this.#label,
            (client, signal) => configMaps(client).watch({ ...parameters, signal }),
            parameters.signal,
          ),
      },
      clock,
      onError: () => undefined,
    });
    this.#informer.start();
  }

  stop(): Promise<void> {
    return this.#informer.stop();
  }

  /** Returns how the informer differs from the store. */
  differences(ledger: Ledger): string[] {
    const differences: string[] = [];
    const stored = new Map([...ledger.current].filter(([key]) => key.startsWith(PREFIX)));
    for (const item of this.#informer.values()) {
      const key = `${PREFIX}${item.metadata.namespace ?? ''}/${item.metadata.name ?? ''}`;
      const commit = stored.get(key);
      stored.delete(key);
      if (commit === undefined) differences.push(`${this.#label} has ${key}, which does not exist`);
      else if (String(commit.revision) !== item.metadata.resourceVersion)
        differences.push(
          `${this.#label} has version ${item.metadata.resourceVersion ?? ''} of ${key} instead of ${commit.revision}`,
        );
    }
    for (const key of stored.keys()) differences.push(`${this.#label} lacks ${key}`);
    return differences;
  }
}

/** A call that its caller gives up is answered by nobody: the network ends it. */
const withoutSignal = ({ signal: _signal, ...parameters }: ListParameters): ListParameters => parameters;
