/**
 * The parts of an OpenAPI document that versions 2 and 3 share.
 *
 * @module
 */
import { definedOnly, type Dialect, type JsonObject } from '../../foundation/index.js';
import type { Operation, Parameter, PathItem } from './model.js';

/** Returns the title and version of a document. */
export function infoOf({ openApi: { title } }: Dialect): JsonObject {
  return { title, version: 'unversioned' };
}

/** Returns the title and version of a document of custom kinds. */
export function customInfoOf({ openApi: { title } }: Dialect): JsonObject {
  return { title: `${title} CRD Swagger`, version: 'v0.1.0' };
}

/** The authentication methods of every operation. */
export const SECURITY_SCHEMES: JsonObject = {
  BearerToken: { type: 'apiKey', description: 'Bearer token', name: 'authorization', in: 'header' },
};

/** Returns the paths of a document. */
export function pathsOf(
  items: readonly PathItem[],
  operationOf: (operation: Operation) => JsonObject,
  parameterOf: (parameter: Parameter) => JsonObject,
): JsonObject {
  return Object.fromEntries(
    items.map(({ path, parameters, operations }) => [
      path,
      {
        ...Object.fromEntries(operations.map((operation) => [operation.method, operationOf(operation)])),
        ...(parameters.length === 0 ? {} : { parameters: parameters.map(parameterOf) }),
      },
    ]),
  );
}

/** Returns the members that extend an operation: its action, and the kind that it reads or writes. */
export function extensionsOf({ action, kind }: Operation, { openApi: { extensionPrefix } }: Dialect): JsonObject {
  return definedOnly({
    [`${extensionPrefix}action`]: action,
    [`${extensionPrefix}group-version-kind`]: kind && { group: kind.group, version: kind.version, kind: kind.kind },
  });
}
