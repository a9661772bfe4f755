/**
 * Kinds from the definitions of others: custom resource definitions and OpenAPI documents.
 *
 * @module
 */
export type { DefinitionSource } from './documents.js';
export { resourcesFromCrd, type ResourcesFromCrdOptions } from './resources-from-crd.js';
export { crdToTypescript } from './typescript.js';
export type { OpenApiKind } from './open-api-schemas.js';
export { resourcesFromOpenApi, type ResourcesFromOpenApiOptions } from './resources-from-open-api.js';
