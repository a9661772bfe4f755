/** The types of OpenAPI, sorted. */
export const openApiTypes: readonly string[] = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
