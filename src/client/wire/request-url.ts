/**
 * Returns the URL of a request: appends its path to that of the server.
 *
 * @param path empty, or a path with a leading slash and optional query
 * @throws TypeError for any other path
 */
export function requestUrl(base: URL, path: string): string {
  if (path !== '' && !path.startsWith('/')) throw new TypeError('the path of a request must begin with a slash');
  return `${base.origin}${base.pathname.replace(/\/$/, '')}${path}`;
}
