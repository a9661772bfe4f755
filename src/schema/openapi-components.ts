import { isObjectMeta } from './object-meta.js';
import type { OpenApiOptions } from './openapi.js';
import type { StructuralSchema } from './structural.js';

/**
 * Returns every named type reachable from the given types, by component name in alphabetical order: the input of
 * `openApiV3Component` and `openApiV2Definition`.
 *
 * @throws TypeError when two types with different fields share a component name
 */
export function collectComponents(
  schemas: Iterable<StructuralSchema>,
  options: Pick<OpenApiOptions, 'componentName'>,
): ReadonlyMap<string, StructuralSchema> {
  const components = new Map<string, StructuralSchema>();
  const seen = new Set<StructuralSchema>();
  const visit = (schema: StructuralSchema): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    if (schema.name !== undefined) add(components, options.componentName(schema.name, schema), schema);
    for (const property of schema.properties?.values() ?? []) visit(property);
    if (schema.additionalProperties !== undefined) visit(schema.additionalProperties);
    if (schema.items !== undefined) visit(schema.items);
  };
  for (const schema of schemas) visit(schema);
  return new Map([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function add(components: Map<string, StructuralSchema>, name: string, schema: StructuralSchema): void {
  const known = components.get(name);
  if (known === undefined) components.set(name, schema);
  // Two uses of one type are two nodes with the same fields. Metadata of objects and templates is published as one
  // type.
  else if (
    !(isObjectMeta(known) && isObjectMeta(schema)) &&
    (known.properties !== schema.properties || known.type !== schema.type)
  )
    throw new TypeError(`two types have the component name ${name}`);
}
