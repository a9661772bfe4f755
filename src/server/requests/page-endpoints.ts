/** Returns whether a path is one of the endpoints that the page for people has besides the API. */
export const isPageEndpoint = (path: string): boolean => path.startsWith('/ui/v1/');
