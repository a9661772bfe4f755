import {
  aFunction,
  checkOptions,
  compareVersions,
  isJsonObject,
  shown,
  type JsonObject,
  type JsonValue,
  type OptionChecks,
} from '../../../foundation/index.js';
import type { JsonSchemaProps } from '../../../machinery/index.js';
import type { ResourceDefinition } from '../../../registry/index.js';
import { customKinds } from '../kinds.js';
import type { CustomKindVersion, CustomScale } from '../source.js';
import { noConversion } from '../versions.js';
import { DIALECT, markedKinds, OpenApiSchemas, type OpenApiKind } from './open-api-schemas.js';

/** Options of {@link resourcesFromOpenApi}. */
export interface ResourcesFromOpenApiOptions {
  /** Returns whether a kind is wanted. Default all kinds of the documents. */
  readonly select?: ((kind: OpenApiKind) => boolean) | undefined;
  /** Called with each fact of the documents that the kinds do not express, such as a type that contains itself. */
  readonly onNote?: ((note: string) => void) | undefined;
}

const optionChecks: OptionChecks<ResourcesFromOpenApiOptions> = { select: aFunction, onNote: aFunction };

/**
 * Returns the kinds of a server's OpenAPI documents, for `new ApiServer({ resources })`: the kinds with a list path. The
 * paths give plural, scope and subresources, the components the schemas. A type that contains itself accepts any value
 * where it does so. Versions of one kind are converted by their apiVersion alone, and stored in the newest one.
 *
 * @param documents a document of version 2 (`/openapi/v2`) or 3 (`/openapi/v3/apis/<group>/<version>`), or several, as
 *   objects
 * @throws TypeError for a value that is not such a document
 */
export function resourcesFromOpenApi(
  documents: object,
  options: ResourcesFromOpenApiOptions = {},
): ResourceDefinition[] {
  checkOptions('resourcesFromOpenApi', options, optionChecks);
  const families = new Map<string, Family>();
  for (const document of (Array.isArray(documents) ? documents : [documents]) as readonly JsonValue[])
    for (const version of new DocumentReader(document, options).versions()) {
      const { group, plural } = version;
      const name = `${group}/${plural}`;
      const family = families.get(name) ?? { ...version, namespaced: false, versions: [] };
      family.namespaced ||= version.namespaced;
      family.versions.push(version.declared);
      families.set(name, family);
    }
  return [...families.values()].flatMap(({ group, plural, kind, namespaced, versions }) => {
    const sorted = [...versions].sort((a, b) => compareVersions(a.name, b.name));
    const source = {
      group,
      names: { plural, kind },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      versions: sorted.map((version, index) => ({ ...version, storage: index === 0 })),
    };
    return customKinds(source, DIALECT, noConversion);
  });
}

/** A kind of the documents with all its versions. */
interface Family {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  namespaced: boolean;
  readonly versions: CustomKindVersion[];
}

/** A version of a kind in a document. */
interface FoundVersion {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly declared: CustomKindVersion;
}

/** The path of a collection: group, version, namespace, plural. */
const COLLECTION =
  /^\/(?:api|apis\/(?<group>[^/]+))\/(?<version>[^/]+)\/(?<scope>namespaces\/\{namespace\}\/)?(?<plural>[^/{}]+)$/;

/** Reads the kinds of one document. */
class DocumentReader {
  readonly #paths: JsonObject;
  readonly #schemas: OpenApiSchemas;
  readonly #select: (kind: OpenApiKind) => boolean;
  readonly #note: (note: string) => void;

  constructor(document: JsonValue, { select = () => true, onNote = () => undefined }: ResourcesFromOpenApiOptions) {
    const components = isJsonObject(document)
      ? isJsonObject(document['components'])
        ? document['components']['schemas']
        : document['definitions']
      : undefined;
    if (!isJsonObject(document) || !isJsonObject(document['paths']) || !isJsonObject(components))
      throw new TypeError(
        `resourcesFromOpenApi: a document must be an OpenAPI document with paths and components, got ${shown(document)}`,
      );
    this.#paths = document['paths'];
    this.#schemas = new OpenApiSchemas(components, onNote);
    this.#select = select;
    this.#note = onNote;
  }

  *versions(): Generator<FoundVersion> {
    const found = new Map<string, { readonly kind: OpenApiKind; readonly plural: string; namespaced: boolean }>();
    for (const [path, item] of Object.entries(this.#paths)) {
      const { group = '', version = '', scope, plural = '' } = COLLECTION.exec(path)?.groups ?? {};
      const list = isJsonObject(item) ? item['get'] : undefined;
      const kind = isJsonObject(list) ? markedKinds(list)[0] : undefined;
      if (kind === undefined || kind.group !== group || kind.version !== version || !this.#select(kind)) continue;
      const name = `${group}/${version}/${plural}`;
      const known = found.get(name) ?? { kind, plural, namespaced: false };
      known.namespaced ||= scope !== undefined;
      found.set(name, known);
    }
    for (const { kind, plural, namespaced } of found.values()) {
      const schema = this.#schemas.schemaOf(kind);
      if (schema === undefined)
        this.#note(
          `${kind.kind} of ${kind.group}/${kind.version}: there is no component with its schema; it is left out`,
        );
      else yield { ...kind, plural, namespaced, declared: this.#declared(kind, plural, namespaced, schema) };
    }
  }

  #declared(kind: OpenApiKind, plural: string, namespaced: boolean, schema: JsonSchemaProps): CustomKindVersion {
    const { group, version } = kind;
    const root = `${group === '' ? '/api' : `/apis/${group}`}/${version}/`;
    const object = `${root}${namespaced ? 'namespaces/{namespace}/' : ''}${plural}/{name}`;
    const status = this.#paths[`${object}/status`] === undefined ? undefined : {};
    const scale = this.#paths[`${object}/scale`] === undefined ? undefined : this.#scaleOf(kind, schema);
    return {
      name: version,
      served: true,
      storage: false,
      schema: { openAPIV3Schema: schema },
      subresources: { status, scale },
    };
  }

  /** Returns the usual paths of the scale subresource, which documents do not name, when the schema has them. */
  #scaleOf({ group, version, kind }: OpenApiKind, { properties = {} }: JsonSchemaProps): CustomScale | undefined {
    const typeOf = (part: string, name: string) => properties[part]?.properties?.[name]?.type;
    if (typeOf('spec', 'replicas') !== 'integer' || typeOf('status', 'replicas') !== 'integer') {
      this.#note(`${kind} of ${group}/${version}: the fields of its scale subresource are not known; it is left out`);
      return undefined;
    }
    const labelSelectorPath = typeOf('status', 'selector') === 'string' ? '.status.selector' : undefined;
    return { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath };
  }
}
