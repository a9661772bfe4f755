import type * as z from 'zod';
import {
  apiVersionOf,
  groupName,
  OBJECT_KEYS,
  type ApiObject,
  type Dialect,
  type GroupKind,
  type GroupResource,
  type GroupVersionKind,
} from '../../foundation/index.js';
import { compileSchema, needsRefinements, objectSchema, type StructuralSchema } from '../../machinery/index.js';
import { handedColumns } from '../handed/handed-columns.js';
import { handed } from '../handed/handed.js';
import { handedStrategy, handedSubresource } from '../handed/handed-strategy.js';
import type {
  Column,
  ConnectSubresource,
  KindSubresource,
  PartSubresource,
  ResourceDefinition,
  ViewSubresource,
} from './definition.js';
import { statusSubresource } from '../writes/status.js';
import { KindRules } from './rules.js';
import type { Strategy } from './strategy.js';
import { resourceVerbs, type ResourceVerb } from './verbs.js';

/** An operation subresource, in a dialect. */
export interface ServedOperation {
  readonly verbs: readonly ['create'];
  /** The kind of the request body and of the response. */
  readonly responseKind: ResourceInfo;
  /** Schema of whole objects of that kind. */
  readonly schema: StructuralSchema;
}

/** A view subresource, in a dialect. */
export interface ServedView {
  readonly verbs: ViewSubresource['verbs'];
  readonly view: ViewSubresource;
  /** The kind that clients read and write. */
  readonly responseKind: ResourceInfo;
  /** Schema of whole objects of that kind. */
  readonly schema: StructuralSchema;
}

/** A subresource that connects, with the kind of its options as discovery shows it. */
export interface ServedConnection extends ConnectSubresource {
  readonly optionsKind?: GroupVersionKind | undefined;
}

/** A subresource in a dialect. */
export type ServedSubresource = PartSubresource | ServedOperation | ServedView | ServedConnection;

/** Verbs of a virtual kind. */
const VIRTUAL_VERBS: readonly ResourceVerb[] = ['create'];

/**
 * A definition in a dialect: the facts of a served kind, resolved once. Facts derived from its schema are computed on
 * first use.
 */
export class ResourceInfo implements GroupVersionKind, GroupKind, GroupResource {
  readonly definition: ResourceDefinition;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  /** Plural name, as in paths. */
  readonly resource: string;
  readonly singular: string;
  readonly apiVersion: string;
  readonly namespaced: boolean;
  readonly verbs: readonly ResourceVerb[];
  /**
   * Prefix of the kind's storage keys; ends in a slash.
   *
   * @internal
   */
  readonly keyPrefix: string;
  /**
   * Whether the kind is one of the server's owner, whose functions get copies of objects.
   *
   * @internal
   */
  readonly isOwners: boolean;
  readonly #dialect: Dialect;
  #strategy: Strategy | undefined;
  #columns: readonly Column[] | undefined;
  #subresources: ReadonlyMap<string, ServedSubresource> | undefined;
  #schema: StructuralSchema | undefined;
  #zodSchema: z.ZodType | undefined;
  #refined: boolean | undefined;
  #rules: KindRules | undefined;
  #hub: ResourceInfo | undefined;

  /** @internal */
  constructor(definition: ResourceDefinition, dialect: Dialect) {
    this.definition = definition;
    // Custom resource definitions bring a validator; their functions are the server's.
    this.isOwners = definition.origin !== 'builtin' && definition.validator === undefined;
    this.#dialect = dialect;
    this.group = groupName(definition.group, dialect);
    this.version = definition.version;
    this.kind = definition.kind;
    this.listKind = definition.listKind ?? `${definition.kind}List`;
    this.resource = definition.plural;
    this.singular = definition.singular ?? definition.kind.toLowerCase();
    this.apiVersion = apiVersionOf(this.group, this.version);
    this.namespaced = definition.scope === 'Namespaced';
    this.verbs = definition.verbs ?? (definition.virtual === true ? VIRTUAL_VERBS : resourceVerbs);
    this.keyPrefix = storageKeyPrefix(definition);
  }

  /**
   * The behaviour of the kind; that of a kind of the server's owner gets copies of objects.
   *
   * @internal
   */
  get strategy(): Strategy | undefined {
    const { strategy } = this.definition;
    if (!this.isOwners || strategy === undefined) return strategy;
    return (this.#strategy ??= handedStrategy(strategy));
  }

  /**
   * Returns the columns of the Table form; undefined for the default ones. Those of a kind of the server's owner get copies.
   *
   * @param freezes whether the copies are frozen; always the same for a server
   * @internal
   */
  columnsFor(freezes: boolean): readonly Column[] | undefined {
    const { columns } = this.definition;
    if (!this.isOwners || columns === undefined) return columns;
    return (this.#columns ??= handedColumns(columns, { freezes }));
  }

  /**
   * The subresources by name.
   *
   * @internal
   */
  get subresources(): ReadonlyMap<string, ServedSubresource> {
    return (this.#subresources ??= new Map(
      Object.entries(this.definition.subresources ?? {}).map(([name, subresource]) => [
        name,
        servedSubresource(subresource, this, this.#dialect),
      ]),
    ));
  }

  /**
   * The version in which the objects are stored, unless they are stored in several: this one, or the hub of its conversion.
   *
   * @internal
   */
  get hub(): ResourceInfo {
    const { conversion } = this.definition;
    return (this.#hub ??= conversion === undefined ? this : new ResourceInfo(conversion.hub, this.#dialect));
  }

  /**
   * Returns the schema of the whole object.
   *
   * @internal
   */
  get schema(): StructuralSchema {
    const { givenUpSchema, structural } = this.definition;
    if (givenUpSchema !== undefined) return objectSchema({ kind: this.kind, schema: givenUpSchema.current });
    return (this.#schema ??= objectSchema({
      kind: this.kind,
      schema: structural?.(this.#dialect) ?? compileSchema(this.zodSchema),
    }));
  }

  /**
   * Returns the zod schema of the kind's fields, as the author wrote it.
   *
   * @internal
   */
  get zodSchema(): z.ZodType {
    return (this.#zodSchema ??= this.definition.schema());
  }

  /**
   * Returns whether the schema has rules that only zod can check.
   *
   * @internal
   */
  get refined(): boolean {
    return (this.#refined ??= this.definition.structural === undefined && needsRefinements(this.zodSchema));
  }

  /**
   * The CEL rules of the schema of a kind that is declared in code.
   *
   * @internal
   */
  get rules(): KindRules {
    return (this.#rules ??= new KindRules(() => this.schema));
  }

  /**
   * Loads what the validation of an object needs.
   *
   * @returns undefined when nothing is missing
   * @internal
   */
  load(object: ApiObject): Promise<void> | undefined {
    const { origin, validator } = this.definition;
    const loading = this.strategy?.load?.(object);
    // Built-in kinds have no rules, and a validator brings its own.
    if (origin === 'builtin' || validator !== undefined) return loading;
    return loading === undefined ? this.rules.load() : loading.then(() => this.rules.load());
  }

  /**
   * Returns the storage key of an object.
   *
   * @internal
   */
  key(namespace: string, name: string): string {
    return this.namespaced ? `${this.keyPrefix}${namespace}/${name}` : this.keyPrefix + name;
  }

  /**
   * Returns the namespace and the name in a storage key; the namespace of a cluster-scoped object is empty.
   *
   * @internal
   */
  placeOf(key: string): { readonly namespace: string; readonly name: string } {
    const place = key.slice(this.keyPrefix.length);
    const slash = this.namespaced ? place.indexOf('/') : -1;
    return slash < 0
      ? { namespace: '', name: place }
      : { namespace: place.slice(0, slash), name: place.slice(slash + 1) };
  }

  /**
   * Returns the storage prefix of a collection; an empty namespace selects all namespaces.
   *
   * @internal
   */
  rangePrefix(namespace: string): string {
    return this.namespaced && namespace !== '' ? `${this.keyPrefix}${namespace}/` : this.keyPrefix;
  }
}

/** Returns the prefix of the storage keys of a kind. */
export const storageKeyPrefix = (definition: ResourceDefinition): string =>
  `${OBJECT_KEYS}${storagePathOf(definition)}/`;

/** Returns the path of a kind in the storage keys. A version that is stored in the form of another one is stored with it. */
function storagePathOf({ storagePrefix, conversion, group, plural }: ResourceDefinition): string {
  if (storagePrefix !== undefined) return storagePrefix;
  if (conversion !== undefined) return storagePathOf(conversion.hub);
  return typeof group === 'string' && group !== '' ? `${group}/${plural}` : plural;
}

function servedSubresource(
  subresource: KindSubresource,
  { group, version, isOwners }: ResourceInfo,
  dialect: Dialect,
): ServedSubresource {
  if ('strategy' in subresource) return isOwners ? handedPart(subresource) : subresource;
  if ('connect' in subresource) {
    const { kind } = subresource.connect;
    return kind === undefined ? subresource : { ...subresource, optionsKind: { group, version, kind } };
  }
  const responseKind = new ResourceInfo('view' in subresource ? subresource.view : subresource.operation, dialect);
  const kind = {
    responseKind,
    get schema() {
      return responseKind.schema;
    },
  };
  return 'view' in subresource
    ? Object.assign(kind, { verbs: subresource.verbs, view: isOwners ? handedView(subresource) : subresource })
    : Object.assign(kind, { verbs: subresource.verbs });
}

/** Returns a part of a kind of the server's owner. The shared one, `statusSubresource`, is the server's. */
const handedPart = (part: PartSubresource): PartSubresource =>
  part === statusSubresource ? part : { ...part, strategy: handedSubresource(part.strategy) };

const handedView = (view: ViewSubresource): ViewSubresource => ({
  verbs: view.verbs,
  view: view.view,
  show: (object, forWrite) => view.show(handed(object), forWrite),
  write: (object, changed) => view.write(object, changed),
});
