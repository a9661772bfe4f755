import { definedOnly, type Dialect, type JsonObject } from '../../foundation/index.js';
import { extensionsOf, infoOf, pathsOf, SECURITY_SCHEMES } from './document.js';
import type { Body, Operation, Parameter, PathItem } from './model.js';
import { writtenTypes, type DocumentType } from './types.js';

/** Creates an OpenAPI 2.0 (Swagger) document, for older clients. */
export async function writeVersion2(
  paths: readonly PathItem[],
  types: ReadonlyMap<string, DocumentType>,
  dialect: Dialect,
): Promise<JsonObject> {
  const definitions = await writtenTypes(types, 2);
  return {
    swagger: '2.0',
    info: infoOf(dialect),
    paths: pathsOf(paths, (operation) => operationOf(operation, dialect), parameterOf),
    definitions,
    securityDefinitions: SECURITY_SCHEMES,
    security: [{ BearerToken: [] }],
  };
}

function operationOf(operation: Operation, dialect: Dialect): JsonObject {
  const { tag, description, id, requestBody, consumes, responses } = operation;
  const parameters = operation.parameters.map(parameterOf);
  // Version 2 has one list of media types for all responses of an operation.
  const produces = responses.find((response) => response.body !== undefined)?.body?.mediaTypes ?? [];
  if (requestBody !== undefined)
    parameters.unshift({
      name: 'body',
      in: 'body',
      ...(requestBody.required ? { required: true } : {}),
      schema: schemaOf(requestBody),
    });
  return {
    description,
    consumes: [...(requestBody?.mediaTypes ?? consumes)],
    produces: [...produces],
    schemes: ['https'],
    tags: [tag],
    operationId: id,
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: Object.fromEntries(
      responses.map((response) => [
        response.status,
        {
          description: response.description,
          ...definedOnly({ schema: response.body && schemaOf(response.body) }),
        },
      ]),
    ),
    ...extensionsOf(operation, dialect),
  };
}

const schemaOf = ({ component }: Pick<Body, 'component'>): JsonObject =>
  component === undefined ? { type: 'string' } : { $ref: `#/definitions/${component}` };

function parameterOf({ name, in: location, type, description }: Parameter): JsonObject {
  return {
    uniqueItems: true,
    type,
    description,
    name,
    in: location,
    ...(location === 'path' ? { required: true } : {}),
  };
}
