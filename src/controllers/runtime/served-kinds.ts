import type { Client, ResourceClient } from '../../client/index.js';
import { apiVersionOf, compareVersions, groupName, type Dialect } from '../../foundation/index.js';
import {
  resourceVerbs,
  type InputOf,
  type ObjectOf,
  type ResourceDefinition,
  type ResourceVerb,
} from '../../registry/index.js';

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

/** Source of the served kinds, which may change while the server runs. */
export interface KindSource {
  /** All served kinds, in all versions. A new list after each change. */
  readonly definitions: () => readonly ResourceDefinition[];
  /** Calls a function after each change. */
  readonly onChange: (listener: () => void) => void;
}

/** The served kinds. */
export class ServedKinds {
  readonly #client: Client;
  readonly #source: KindSource;
  readonly #dialect: Dialect;
  #definitions: readonly ResourceDefinition[] = [];
  #all: readonly ServedKind[] = [];
  #byKind = new Map<string, ServedKind>();

  constructor(client: Client, source: KindSource, dialect: Dialect) {
    this.#client = client;
    this.#source = source;
    this.#dialect = dialect;
  }

  /** All served kinds, in all versions. A kind that has not changed is represented by the same value. */
  get all(): readonly ServedKind[] {
    this.#refresh();
    return this.#all;
  }

  #refresh(): void {
    const definitions = this.#source.definitions();
    if (definitions === this.#definitions) return;
    const known = new Map(this.#all.map((kind) => [kind.definition, kind]));
    this.#definitions = definitions;
    this.#all = definitions.map(
      (definition) => known.get(definition) ?? servedKind(this.#client, definition, this.#dialect),
    );
    this.#byKind = new Map(this.#all.map((kind) => [`${kind.apiVersion}/${kind.kind}`, kind]));
  }

  /** Calls a function after each change of the kinds. */
  onChange(listener: () => void): void {
    this.#source.onChange(listener);
  }

  /** Returns the kind that an owner reference names, or undefined when it is not served. */
  find(apiVersion: string, kind: string): ServedKind | undefined {
    this.#refresh();
    return this.#byKind.get(`${apiVersion}/${kind}`);
  }

  /** Returns every resource in its preferred version, in the order of declaration. */
  preferred(): ServedKind[] {
    return inPreferredVersions(this.all);
  }

  /** Returns every stored kind once; kinds that are converted to another served kind are left out. */
  stored(): ServedKind[] {
    const served = new Set(this.all.map(({ definition }) => definition));
    const custom = new Set(
      inPreferredVersions(this.all.filter(({ definition }) => definition.storedVersions !== undefined)),
    );
    return this.all.filter((kind) => {
      const { conversion, storedVersions } = kind.definition;
      if (storedVersions !== undefined) return custom.has(kind);
      return conversion === undefined || !served.has(conversion.hub);
    });
  }
}

function inPreferredVersions(kinds: readonly ServedKind[]): ServedKind[] {
  const chosen = new Map<string, ServedKind>();
  for (const kind of kinds) {
    const id = `${kind.group}/${kind.resource}`;
    const other = chosen.get(id);
    if (other === undefined || compareVersions(kind.version, other.version) < 0) chosen.set(id, kind);
  }
  return [...chosen.values()];
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
    // Custom kinds are found by their names at each call, since their definitions are replaced.
    client:
      definition.storedVersions === undefined
        ? client.resource(definition)
        : client.resource({ apiVersion: apiVersionOf(group, version), kind }),
  };
}
