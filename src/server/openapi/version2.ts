import { definedOnly } from '../../meta/defined-only.js';
import type { JsonObject } from '../../meta/json.js';
import type { Dialect } from '../../names/dialect.js';
import { openApiV2Definition } from '../../schema/index.js';
import type { Operation, Parameter, PathItem } from './model.js';
import { withDescription, type DocumentType } from './types.js';

/** Creates an OpenAPI 2.0 (Swagger) document, for older clients. */
export function writeVersion2(
  paths: readonly PathItem[],
  types: ReadonlyMap<string, DocumentType>,
  dialect: Dialect,
): JsonObject {
  const definitions: Record<string, JsonObject> = {};
  for (const [name, type] of types)
    definitions[name] = withDescription(
      openApiV2Definition(type.schema, type.options, { groupVersionKinds: type.kinds }),
      type,
    );
  return {
    swagger: '2.0',
    info: { title: dialect.openApi.title, version: 'unversioned' },
    paths: Object.fromEntries(paths.map((item) => [item.path, pathItem(item, dialect)])),
    definitions,
    securityDefinitions: {
      BearerToken: { type: 'apiKey', description: 'Bearer token', name: 'authorization', in: 'header' },
    },
    security: [{ BearerToken: [] }],
  };
}

function pathItem({ parameters, operations }: PathItem, dialect: Dialect): JsonObject {
  return {
    ...Object.fromEntries(operations.map((operation) => [operation.method, operationOf(operation, dialect)])),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(parameterOf) }),
  };
}

function operationOf(operation: Operation, dialect: Dialect): JsonObject {
  const { tag, description, id, requestBody, consumes, responses, action, kind } = operation;
  const { extensionPrefix } = dialect.openApi;
  const parameters = operation.parameters.map(parameterOf);
  // Version 2 has one list of media types for all responses of an operation.
  const produces = responses.find((response) => response.body !== undefined)?.body?.mediaTypes ?? [];
  if (requestBody !== undefined)
    parameters.unshift({
      name: 'body',
      in: 'body',
      ...(requestBody.required ? { required: true } : {}),
      schema: reference(requestBody.component),
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
          ...definedOnly({ schema: response.body && reference(response.body.component) }),
        },
      ]),
    ),
    ...definedOnly({
      [`${extensionPrefix}action`]: action,
      [`${extensionPrefix}group-version-kind`]: kind && { group: kind.group, version: kind.version, kind: kind.kind },
    }),
  };
}

const reference = (component: string): JsonObject => ({ $ref: `#/definitions/${component}` });

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
