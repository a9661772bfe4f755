/**
 * Names of types, operations and tags in OpenAPI documents.
 *
 * @module
 */
import { groupName, ownMember, type Dialect, type DialectOpenApi, type SystemGroup } from '../../foundation/index.js';
import {
  listMetaSchema,
  managedFieldsEntrySchema,
  objectMetaSchema,
  ownerReferenceSchema,
  templateMetaSchema,
  type StructuralSchema,
} from '../../machinery/index.js';

/** Meta types that the server declares itself. Those of the built-in kinds have a package. */
const META_TYPES: ReadonlySet<string> = new Set([
  'APIResource',
  'APIResourceList',
  'DeleteOptions',
  'FieldsV1',
  'ListMeta',
  'ManagedFieldsEntry',
  'MicroTime',
  'ObjectMeta',
  'OwnerReference',
  'Patch',
  'Preconditions',
  'Status',
  'StatusCause',
  'StatusDetails',
  'Time',
  'WatchEvent',
]);

/** Fields of the meta types, to recognize them in custom kinds. */
const META_FIELDS: ReadonlySet<StructuralSchema['properties']> = new Set(
  [listMetaSchema, managedFieldsEntrySchema, objectMetaSchema, ownerReferenceSchema, templateMetaSchema].map(
    ({ properties }) => properties,
  ),
);

/** Packages of the scalar and free-form types that all groups share. */
const SHARED_KINDS: ReadonlyMap<StructuralSchema['protoKind'], (packages: DialectOpenApi) => string> = new Map([
  ['time', ({ meta }: DialectOpenApi) => `${meta}.v1`],
  ['microTime', ({ meta }: DialectOpenApi) => `${meta}.v1`],
  ['fieldsV1', ({ meta }: DialectOpenApi) => `${meta}.v1`],
  ['rawExtension', ({ runtime }: DialectOpenApi) => runtime],
  ['quantity', ({ quantity }: DialectOpenApi) => quantity],
  ['intOrString', ({ intOrString }: DialectOpenApi) => intOrString],
] as const);

/** Prefixes of the component names of built-in groups outside of the common package. */
const OWN_PREFIXES: Readonly<Record<string, (names: DialectOpenApi) => string>> = {
  apiextensions: ({ apiExtensions }) => apiExtensions,
  apiregistration: ({ apiRegistration }) => apiRegistration,
};

/** A group as in definitions: a built-in group or a domain name. */
export type GroupSource = string | SystemGroup;

/** Returns whether a group is built in. Groups without a domain are built in, too. */
const isBuiltinGroup = (group: GroupSource): boolean => typeof group !== 'string' || !group.includes('.');

/** Returns the component name of a type in the shared packages. */
export function metaComponentName(name: string, dialect: Dialect): string {
  return name === 'RawExtension' ? `${dialect.openApi.runtime}.${name}` : `${dialect.openApi.meta}.v1.${name}`;
}

/**
 * Returns the function that names the types of a group version: `<api>.rbac.v1.Role` for built-in groups, the reversed
 * domain for custom groups (`com.example.v1.Widget`), and the shared package for types that all groups share. A type of
 * a custom group counts as shared only if it is identical, not because it has the same name.
 */
export function componentNamer(
  group: GroupSource,
  version: string,
  dialect: Dialect,
): (name: string, schema: StructuralSchema) => string {
  const { api } = dialect.openApi;
  const sharedName = (name: string, { protoKind }: StructuralSchema): string | undefined => {
    const sharedPackage = SHARED_KINDS.get(protoKind)?.(dialect.openApi);
    return sharedPackage === undefined ? undefined : `${sharedPackage}.${name}`;
  };
  if (!isBuiltinGroup(group)) {
    const domain = groupName(group, dialect).split('.').reverse().join('.');
    return (name, schema) =>
      sharedName(name, schema) ??
      (META_FIELDS.has(schema.properties) ? metaComponentName(name, dialect) : `${domain}.${version}.${name}`);
  }
  const ownPackage = packageName(group);
  const groupPackage = `${ownMember(OWN_PREFIXES, ownPackage)?.(dialect.openApi) ?? `${api}.${ownPackage}`}.${version}`;
  return (name, schema) => {
    const shared = sharedName(name, schema);
    if (shared !== undefined) return shared;
    if (schema.package !== undefined) return `${qualifiedPackage(schema.package, dialect)}.${name}`;
    if (META_TYPES.has(name)) return metaComponentName(name, dialect);
    return `${groupPackage}.${name}`;
  };
}

/** Returns the prefix of the component names of a package of built-in types, such as `core.v1`. */
function qualifiedPackage(name: string, { openApi }: Dialect): string {
  const [group = '', version = ''] = name.split('.');
  const prefix =
    group === 'meta' ? openApi.meta : (ownMember(OWN_PREFIXES, group)?.(openApi) ?? `${openApi.api}.${group}`);
  return `${prefix}.${version}`;
}

/** Returns the package of the types of a built-in group version: `rbac.v1`. */
export const packageOf = (group: GroupSource, version: string): string => `${packageName(group)}.${version}`;

function packageName(group: GroupSource): string {
  const [first = ''] = (typeof group === 'string' ? group : group.system).split('.');
  return first === '' ? 'core' : first;
}

const uncapitalized = (word: string): string => word.charAt(0).toLowerCase() + word.slice(1);
const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Returns a name in CamelCase. A digit at the start is dropped. */
const words = (name: string): string =>
  name
    .replace(/^[0-9]/, '')
    .split(/[^A-Za-z0-9_]/)
    .map(capitalized)
    .join('');

/** Returns a group name in CamelCase, without the dialect's suffix: `RbacAuthorization`, `Core`. */
function groupWords(group: string, dialect: Dialect): string {
  const suffix = `.${dialect.groupSuffix}`;
  const bare = group.endsWith(suffix) ? group.slice(0, -suffix.length) : group;
  return bare === '' ? 'Core' : words(bare);
}

/** Returns the middle part of an operation id: `CoreV1`, `RbacAuthorizationV1`. */
export function operationScope(group: string, version: string, dialect: Dialect): string {
  return groupWords(group, dialect) + words(version);
}

/** Returns the tag of a group version's operations: `core_v1`, `rbacAuthorization_v1`. */
export function operationTag(group: string, version: string, dialect: Dialect): string {
  const name = groupWords(group, dialect);
  return `${uncapitalized(name)}_${uncapitalized(words(version))}`;
}

/** Returns a name as part of an operation id: `status` becomes `Status`. */
export const operationWord = words;
