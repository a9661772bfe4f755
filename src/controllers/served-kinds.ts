import type { Client, ResourceClient } from '../client/index.js';
import { apiVersionOf } from '../meta/object.js';
import { groupName, type Dialect } from '../names/dialect.js';
import type { InputOf, ObjectOf, ResourceDefinition } from '../registry/definition.js';
import { resourceVerbs, type ResourceVerb } from '../registry/verbs.js';
import { compareVersions } from '../meta/version-priority.js';

/** An object of any kind: the fields that all kinds share. */
export type AnyObject = ObjectOf<ResourceDefinition>;

/** The client of any kind. */
export type AnyResource = ResourceClient<AnyObject, InputOf<ResourceDefinition>>;

/** A served kind, for controllers that handle all kinds. */
export interface ServedKind {
  readonly definition: ResourceDefinition;
  readonly group: string;
  readonly version: string;
  /** `v1`, or `group/version`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Plural name. */
  readonly resource: string;
  readonly namespaced: boolean;
  readonly verbs: ReadonlySet<ResourceVerb>;
  /** The kind's client for all namespaces. */
  readonly client: AnyResource;
}

/** The served kinds. */
export class ServedKinds {
  readonly all: readonly ServedKind[];
  readonly #byKind = new Map<string, ServedKind>();

  /** @throws TypeError when the client's server does not serve one of the kinds */
  constructor(client: Client, kinds: readonly ResourceDefinition[], dialect: Dialect) {
    this.all = kinds.map((definition) => servedKind(client, definition, dialect));
    for (const kind of this.all) this.#byKind.set(`${kind.apiVersion}/${kind.kind}`, kind);
  }

  /** Returns the kind that an owner reference names, or undefined when it is not served. */
  find(apiVersion: string, kind: string): ServedKind | undefined {
    return this.#byKind.get(`${apiVersion}/${kind}`);
  }

  /** Returns every resource in its preferred version, in the order of declaration. */
  preferred(): ServedKind[] {
    const chosen = new Map<string, ServedKind>();
    for (const kind of this.all) {
      const id = `${kind.group}/${kind.resource}`;
      const other = chosen.get(id);
      if (other === undefined || compareVersions(kind.version, other.version) < 0) chosen.set(id, kind);
    }
    return [...chosen.values()];
  }

  /** Returns every stored kind once; kinds that are converted to another served kind are left out. */
  stored(): ServedKind[] {
    const served = new Set(this.all.map(({ definition }) => definition));
    return this.all.filter(
      ({ definition }) => definition.conversion === undefined || !served.has(definition.conversion.hub),
    );
  }
}

function servedKind(client: Client, definition: ResourceDefinition, dialect: Dialect): ServedKind {
  const group = groupName(definition.group, dialect);
  const { version, kind, plural } = definition;
  return {
    definition,
    group,
    version,
    apiVersion: apiVersionOf(group, version),
    kind,
    resource: plural,
    namespaced: definition.scope === 'Namespaced',
    verbs: new Set(definition.verbs ?? resourceVerbs),
    client: client.resource(definition),
  };
}
