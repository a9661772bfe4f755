/**
 * The types of custom kinds: a kind and its list, as Kubernetes publishes them.
 *
 * @module
 */
import type { Dialect, GroupVersionKind, JsonObject, Steps } from '../../foundation/index.js';
import { customOpenApi } from '../../machinery/index.js';
import type { OpenApiResource } from './model.js';
import { componentNamer, metaComponentName } from './names.js';

/** Version of OpenAPI. */
export type OpenApiVersion = 2 | 3;

const API_VERSION: JsonObject = { type: 'string', description: 'Version of the schema of this object.' };
const KIND: JsonObject = { type: 'string', description: 'Kind of the object, in CamelCase. Cannot be changed.' };

/** Returns the component name of a custom kind or its list. */
export function customComponentName(
  { definition, version, schema }: OpenApiResource,
  kind: string,
  dialect: Dialect,
): string {
  return componentNamer(definition.group, version, dialect)(kind, schema);
}

/** Writes a reference with a description. Version 3 does not allow both in one object. */
function referenceTo(component: string, description: string, version: OpenApiVersion): JsonObject {
  const reference = { $ref: `#/${version === 2 ? 'definitions' : 'components/schemas'}/${component}` };
  return version === 2 ? { ...reference, description } : { allOf: [reference], description };
}

/** Writes the component of a custom kind, in steps. */
export function* writeCustomKind(
  resource: OpenApiResource,
  dialect: Dialect,
  version: OpenApiVersion,
): Steps<JsonObject> {
  const { openApi } = dialect;
  const metadata = referenceTo(
    metaComponentName('ObjectMeta', dialect),
    'Metadata that every stored object has.',
    version,
  );
  const schema = yield* customOpenApi(resource.definition.structural?.(dialect) ?? resource.schema, {
    version,
    extensionPrefix: openApi.extensionPrefix,
    objectFields: { apiVersion: API_VERSION, kind: KIND, metadata },
    embeddedFields: { apiVersion: API_VERSION, kind: KIND, metadata },
  });
  return { ...schema, ...extensionsOf(resource, resource.kind, dialect) };
}

/** Writes the component of the list of a custom kind. */
export function writeCustomList(resource: OpenApiResource, dialect: Dialect, version: OpenApiVersion): JsonObject {
  const { kind, listKind } = resource;
  const item = customComponentName(resource, kind, dialect);
  return {
    description: `A collection of ${kind} objects.`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: API_VERSION,
      kind: KIND,
      metadata: referenceTo(metaComponentName('ListMeta', dialect), 'Metadata of the collection.', version),
      items: {
        type: 'array',
        description: 'The objects.',
        items: { $ref: `#/${version === 2 ? 'definitions' : 'components/schemas'}/${item}` },
      },
    },
    ...extensionsOf(resource, listKind, dialect),
  };
}

/** Returns the members that name the kind and its selectable fields. */
function extensionsOf(
  { group, version, definition }: OpenApiResource,
  kind: string,
  { openApi: { extensionPrefix } }: Dialect,
): JsonObject {
  const names: readonly GroupVersionKind[] = [{ group, version, kind }];
  const fields = Object.keys(definition.selectableFields ?? {});
  return {
    [`${extensionPrefix}group-version-kind`]: names.map((name) => ({ ...name })),
    ...(fields.length === 0
      ? {}
      : { [`${extensionPrefix}selectable-fields`]: fields.map((fieldPath) => ({ fieldPath })) }),
  };
}
