export { handleOpenApi, type OpenApiRequest } from './handler.js';
export type { OpenApiResource, OpenApiSubresource } from './model.js';
export { OpenApi, type OpenApiSource } from './openapi.js';
