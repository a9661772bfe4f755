import type { ResourceDefinition } from './definition.js';
import type { ResourceInfo } from './resource-info.js';

/** The maps of a table. */
interface Maps {
  readonly byDefinition: Map<ResourceDefinition, ResourceInfo>;
  /** By `apiVersion/resource`. */
  readonly byResource: Map<string, ResourceInfo>;
  /** By `apiVersion/kind`. */
  readonly byKind: Map<string, ResourceInfo>;
}

/** The served kinds by their names. A fork of a table shares its maps until one of both changes. */
export class KindTable {
  #maps: Maps = { byDefinition: new Map(), byResource: new Map(), byKind: new Map() };
  #isShared = false;

  /** Returns an independent table with the same kinds. */
  fork(): KindTable {
    const table = new KindTable();
    table.#maps = this.#maps;
    table.#isShared = this.#isShared = true;
    return table;
  }

  /** Returns a kind; undefined when it is not served. */
  of(definition: ResourceDefinition): ResourceInfo | undefined {
    return this.#maps.byDefinition.get(definition);
  }

  /** Returns the kind of a resource, by its plural name. */
  ofResource(apiVersion: string, resource: string): ResourceInfo | undefined {
    return this.#maps.byResource.get(`${apiVersion}/${resource}`);
  }

  /** Returns the kind of a name. */
  ofKind(apiVersion: string, kind: string): ResourceInfo | undefined {
    return this.#maps.byKind.get(`${apiVersion}/${kind}`);
  }

  /** Removes and adds kinds. */
  change(removed: readonly ResourceInfo[], added: readonly ResourceInfo[]): void {
    if (removed.length === 0 && added.length === 0) return;
    const { byDefinition, byResource, byKind } = this.#own();
    for (const { definition, apiVersion, resource, kind } of removed) {
      byDefinition.delete(definition);
      byResource.delete(`${apiVersion}/${resource}`);
      byKind.delete(`${apiVersion}/${kind}`);
    }
    for (const info of added) {
      byDefinition.set(info.definition, info);
      byResource.set(`${info.apiVersion}/${info.resource}`, info);
      byKind.set(`${info.apiVersion}/${info.kind}`, info);
    }
  }

  #own(): Maps {
    if (!this.#isShared) return this.#maps;
    const { byDefinition, byResource, byKind } = this.#maps;
    this.#isShared = false;
    return (this.#maps = {
      byDefinition: new Map(byDefinition),
      byResource: new Map(byResource),
      byKind: new Map(byKind),
    });
  }
}
