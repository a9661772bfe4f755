import { apiVersionOf, type GroupVersionKind } from '../meta/object.js';
import type { GroupKind, GroupResource } from '../meta/api-error.js';
import { groupName, type Dialect } from '../names/dialect.js';
import type * as z from 'zod';
import { compileSchema, needsRefinements, objectSchema } from '../schema/index.js';
import type { StructuralSchema } from '../schema/structural.js';
import type { PartSubresource, ResourceDefinition, SubresourceDefinition } from './definition.js';
import { resourceVerbs, type ResourceVerb } from './verbs.js';

/** A subresource that performs an operation, in a dialect. */
export interface ServedOperation {
  readonly verbs: readonly ['create'];
  /** The kind that is posted and answered with. */
  readonly responseKind: ResourceInfo;
  /** Schema of whole objects of that kind. */
  readonly schema: StructuralSchema;
}

/** A subresource in a dialect. */
export type ServedSubresource = PartSubresource | ServedOperation;

/** Verbs of a kind that is not stored. */
const VIRTUAL_VERBS: readonly ResourceVerb[] = ['create'];

/** A definition in a dialect: the facts of a served kind, resolved once, with what is derived from its schema made on first use. */
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
  readonly subresources: ReadonlyMap<string, ServedSubresource>;
  /** Storage keys of the kind start with this; ends in a slash. */
  readonly keyPrefix: string;
  #schema: StructuralSchema | undefined;
  #zodSchema: z.ZodType | undefined;
  #refined: boolean | undefined;

  constructor(definition: ResourceDefinition, dialect: Dialect) {
    this.definition = definition;
    this.group = groupName(definition.group, dialect);
    this.version = definition.version;
    this.kind = definition.kind;
    this.listKind = `${definition.kind}List`;
    this.resource = definition.plural;
    this.singular = definition.singular ?? definition.kind.toLowerCase();
    this.apiVersion = apiVersionOf(this.group, this.version);
    this.namespaced = definition.scope === 'Namespaced';
    this.verbs = definition.verbs ?? (definition.virtual === true ? VIRTUAL_VERBS : resourceVerbs);
    this.subresources = new Map(
      Object.entries(definition.subresources ?? {}).map(([name, subresource]) => [
        name,
        servedSubresource(subresource, dialect),
      ]),
    );
    const ownGroup = typeof definition.group === 'string' && definition.group !== '';
    this.keyPrefix = `/registry/${definition.storagePrefix ?? (ownGroup ? `${this.group}/${this.resource}` : this.resource)}/`;
  }

  /** Schema of the whole object. */
  get schema(): StructuralSchema {
    return (this.#schema ??= objectSchema({ kind: this.kind, schema: compileSchema(this.zodSchema) }));
  }

  /** The kind's fields as their author wrote them. */
  get zodSchema(): z.ZodType {
    return (this.#zodSchema ??= this.definition.schema());
  }

  /** Whether the schema has rules that only zod can check. */
  get refined(): boolean {
    return (this.#refined ??= needsRefinements(this.zodSchema));
  }

  /** Storage key of an object. */
  key(namespace: string, name: string): string {
    return this.namespaced ? `${this.keyPrefix}${namespace}/${name}` : this.keyPrefix + name;
  }

  /** Storage prefix of a collection; an empty namespace is all of them. */
  rangePrefix(namespace: string): string {
    return this.namespaced && namespace !== '' ? `${this.keyPrefix}${namespace}/` : this.keyPrefix;
  }
}

function servedSubresource(subresource: SubresourceDefinition, dialect: Dialect): ServedSubresource {
  if (!('operation' in subresource)) return subresource;
  const responseKind = new ResourceInfo(subresource.operation, dialect);
  return {
    verbs: subresource.verbs,
    responseKind,
    get schema() {
      return responseKind.schema;
    },
  };
}
