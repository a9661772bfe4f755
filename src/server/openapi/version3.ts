import { definedOnly, type Dialect, type JsonObject } from '../../foundation/index.js';
import { customInfoOf, extensionsOf, infoOf, pathsOf, SECURITY_SCHEMES } from './document.js';
import type { Body, Operation, Parameter, PathItem } from './model.js';
import { writtenTypes, type DocumentType } from './types.js';

/**
 * Creates an OpenAPI 3.0 document.
 *
 * @param custom whether all kinds are custom: Kubernetes creates such documents by other code
 */
export async function writeVersion3(
  paths: readonly PathItem[],
  types: ReadonlyMap<string, DocumentType>,
  dialect: Dialect,
  custom = false,
): Promise<JsonObject> {
  const schemas = await writtenTypes(types, 3);
  return {
    openapi: '3.0.0',
    info: custom ? customInfoOf(dialect) : infoOf(dialect),
    paths: pathsOf(paths, (operation) => operationOf(operation, dialect), parameterOf),
    components: custom ? { schemas } : { schemas, securitySchemes: SECURITY_SCHEMES },
  };
}

function operationOf(operation: Operation, dialect: Dialect): JsonObject {
  const { tag, description, id, parameters, requestBody, responses } = operation;
  return {
    tags: [tag],
    description,
    operationId: id,
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(parameterOf) }),
    ...definedOnly({
      requestBody: requestBody && {
        content: content(requestBody),
        ...(requestBody.required ? { required: true } : {}),
      },
    }),
    responses: Object.fromEntries(
      responses.map((response) => [
        response.status,
        { description: response.description, ...definedOnly({ content: response.body && content(response.body) }) },
      ]),
    ),
    ...extensionsOf(operation, dialect),
  };
}

function content({ component, mediaTypes }: Body): JsonObject {
  const schema = component === undefined ? { type: 'string' } : { $ref: `#/components/schemas/${component}` };
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema }]));
}

function parameterOf({ name, in: location, type, description }: Parameter): JsonObject {
  return {
    name,
    in: location,
    description,
    ...(location === 'path' ? { required: true } : {}),
    schema: { type, uniqueItems: true },
  };
}
