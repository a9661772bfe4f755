/**
 * Access of node agents in one server: the graph follows the stored objects.
 *
 * @module
 */
import { groupName, nodeNameOf, type Logger } from '../../foundation/index.js';
import { StoreMirror, type Catalogue } from '../../registry/index.js';
import {
  createNodeAuthorizer,
  NO_OPINION,
  NODE_GRAPH_SOURCES,
  NodeGraph,
  rulesOf,
  withRules,
  type Authorizer,
  type NodeGraphSource,
} from '../../security/index.js';

/** Dependencies of {@link NodeAccess}. */
export interface NodeAccessParts {
  readonly catalogue: Catalogue;
  readonly logger: Logger;
  /** Whether node agents may read trust bundles (feature gate `ClusterTrustBundle`). */
  readonly clusterTrustBundles: boolean;
}

/**
 * The node graph of one server. It is read on the first request of a node agent, and then follows pods and the other
 * served resources that relate objects to nodes.
 */
export class NodeAccess {
  /** The Node authorizer. */
  readonly authorize: Authorizer;
  readonly #parts: NodeAccessParts;
  readonly #graph: NodeGraph;
  #mirrors: readonly StoreMirror[] = [];
  #starting: Promise<void> | undefined;
  #started = false;

  constructor(parts: NodeAccessParts) {
    const { clusterTrustBundles } = parts;
    const { dialect } = parts.catalogue.environment;
    this.#parts = parts;
    this.#graph = new NodeGraph(dialect);
    const decide = createNodeAuthorizer({ graph: this.#graph, dialect, clusterTrustBundles });
    this.authorize = withRules(
      (attributes) => {
        if (nodeNameOf(attributes.user) === undefined) return NO_OPINION;
        return this.#started
          ? decide(attributes)
          : (this.ready()?.then(() => decide(attributes)) ?? decide(attributes));
      },
      (user, namespace) => rulesOf(decide, user, namespace),
    );
  }

  /**
   * Reads the stored objects and starts following them. After a failure the next call retries.
   *
   * @returns undefined when it is ready
   * @throws StorageError when reading fails
   */
  ready(): Promise<void> | undefined {
    if (this.#started) return undefined;
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      this.stop();
      throw error;
    });
    return this.#starting;
  }

  /** Stops following. */
  stop(): void {
    for (const mirror of this.#mirrors) mirror.stop();
  }

  async #start(): Promise<void> {
    const { dialect } = this.#parts.catalogue.environment;
    this.#mirrors = Object.entries(NODE_GRAPH_SOURCES).flatMap(([source, group]) =>
      this.#follow(source as NodeGraphSource, groupName(group, dialect)),
    );
    await Promise.all(this.#mirrors.map((mirror) => mirror.start()));
    this.#started = true;
  }

  #follow(source: NodeGraphSource, group: string): readonly StoreMirror[] {
    const { catalogue, logger } = this.#parts;
    const info = catalogue.resources.find((served) => served.group === group && served.resource === source);
    if (info === undefined) return [];
    const store = catalogue.store(info.definition);
    const sink = {
      present: (key: string, object: Parameters<NodeGraph['changed']>[1]) =>
        this.#graph.changed(source, object, store.info.placeOf(key)),
      absent: (key: string) => this.#graph.changed(source, undefined, store.info.placeOf(key)),
    };
    return [
      new StoreMirror(store, sink, {
        clock: catalogue.environment.clock,
        onError: (error) => logger.error(`${source} cannot be read; the node graph keeps its last state`, { error }),
        onUnreadable: (key, error) => logger.error(`${key} cannot be read, and is not in the node graph`, { error }),
      }),
    ];
  }
}
