/**
 * The rules for the merge types of lists and objects.
 *
 * @module
 */
import {
  appendErrors,
  FieldErrorList,
  forbidden,
  invalid,
  notSupported,
  ownMember,
  required,
  type FieldError,
} from '../../../../foundation/index.js';
import type { JsonSchemaProps, SchemaExtensions } from '../../../../machinery/index.js';
import { extensionsOf, type ExtensionValues } from '../extensions.js';
import { schemaIn } from '../subschemas.js';
import { shownItems } from './go-values.js';

const LIST_TYPES = ['atomic', 'set', 'map'];
/** The map types that an object may have. */
export const MAP_TYPES = ['atomic', 'granular'];

/** The parts that the rules need. */
interface Node {
  readonly schema: JsonSchemaProps;
  readonly extensions: ExtensionValues;
  readonly path: string;
  readonly names: SchemaExtensions;
}

/** Checks the merge types of a schema. */
export function mergeTypeErrors(
  node: Node,
  rules: { readonly atomicSetItems: boolean; readonly mapKeys: boolean },
): FieldError[] {
  const { extensions, path, names } = node;
  const { listType, mapType, listMapKeys } = extensions;
  const errors = new FieldErrorList();
  if (mapType !== undefined) {
    appendErrors(errors, typeErrors(node, 'object', names.mapType));
    if (!MAP_TYPES.includes(mapType)) errors.push(notSupported(`${path}.${names.mapType}`, mapType, MAP_TYPES));
  }
  if (listType !== undefined) {
    const wrong = typeErrors(node, 'array', names.listType);
    appendErrors(errors, wrong);
    if (wrong.length === 0 && listType === 'set' && rules.atomicSetItems) appendErrors(errors, setItemErrors(node));
    if (!LIST_TYPES.includes(listType)) errors.push(notSupported(`${path}.${names.listType}`, listType, LIST_TYPES));
  }
  if (listMapKeys.length > 0 && listType !== 'map') {
    const detail = `must be map if ${names.listMapKeys} is non-empty`;
    errors.push(
      listType === undefined
        ? required(`${path}.${names.listType}`, detail)
        : invalid(`${path}.${names.listType}`, listType, detail),
    );
  }
  if (listType === 'map') appendErrors(errors, mapListErrors(node));
  if (rules.mapKeys) appendErrors(errors, mapKeyErrors(node.schema, extensions, path, names));
  return errors;
}

function typeErrors({ schema: { type = '' }, path }: Node, wanted: string, extension: string): FieldError[] {
  if (type === wanted) return [];
  const detail = `must be ${wanted} if ${extension} is specified`;
  return [type === '' ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail)];
}

/** Checks that the items of a set are atomic. */
function setItemErrors({ schema, path, names }: Node): FieldError[] {
  const items = schemaIn(schema.items);
  if (items === undefined) return [];
  const { listType, mapType } = extensionsOf(items, names);
  const detail = `must be atomic as item of a list with ${names.listType}=set`;
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic')
    return [invalid(`${path}.items.${names.listType}`, listType, detail)];
  // Kubernetes shows the list type here, too.
  if (items.type === 'object' && mapType !== 'atomic')
    return [invalid(`${path}.items.${names.mapType}`, listType, detail)];
  return [];
}

function mapListErrors({ schema, extensions: { listMapKeys }, path, names }: Node): FieldError[] {
  const errors = new FieldErrorList();
  if (listMapKeys.length === 0)
    errors.push(required(`${path}.${names.listMapKeys}`, `must not be empty if ${names.listType} is map`));
  if (schema.items === undefined)
    return [...errors, required(`${path}.items`, `must have a schema if ${names.listType} is map`)];
  const items = schemaIn(schema.items);
  if (items === undefined) {
    const detail = `must only have a single schema if ${names.listType} is map`;
    return [...errors, invalid(`${path}.items`, shownItems(schema.items, names), detail)];
  }
  if (items.type !== 'object') {
    const detail = `must be object if parent array's ${names.listType} is map`;
    return [...errors, invalid(`${path}.items.type`, items.type ?? '', detail)];
  }
  const keys = `${path}.${names.listMapKeys}`;
  const seen = new Set<string>();
  for (const key of listMapKeys) {
    const property = ownMember(items.properties ?? {}, key);
    if (property === undefined) errors.push(invalid(keys, listMapKeys, 'entries must all be names of item properties'));
    else if (property.type === 'array' || property.type === 'object') {
      const detail = `must be a scalar type if parent array's ${names.listType} is map`;
      // Kubernetes shows the type of the item, not that of the key.
      errors.push(invalid(`${path}.items.properties[${key}].type`, items.type, detail));
    }
    if (seen.has(key)) errors.push(invalid(keys, listMapKeys, 'must not contain duplicate entries'));
    seen.add(key);
  }
  return errors;
}

/** Checks that the items of a set or map list cannot be null, and that every item has its keys. */
export function mapKeyErrors(
  schema: JsonSchemaProps,
  { listType, listMapKeys }: ExtensionValues,
  path: string,
  names: SchemaExtensions,
): FieldError[] {
  const items = schemaIn(schema.items);
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return [];
  const errors = new FieldErrorList();
  if (items.nullable === true)
    errors.push(forbidden(`${path}.items.nullable`, `cannot be nullable when ${names.listType} is ${listType}`));
  if (listType === 'set') return errors;
  const requiredNames = new Set(items.required);
  for (const key of listMapKeys) {
    const property = ownMember(items.properties ?? {}, key);
    if (property === undefined) continue;
    const at = `${path}.items.properties[${key}]`;
    if (!requiredNames.has(key) && property.default === undefined)
      errors.push(
        required(
          `${at}.default`,
          `this property is in ${names.listMapKeys}, so it must have a default or be a required property`,
        ),
      );
    if (property.nullable === true)
      errors.push(forbidden(`${at}.nullable`, `this property is in ${names.listMapKeys}, so it cannot be nullable`));
  }
  return errors;
}
