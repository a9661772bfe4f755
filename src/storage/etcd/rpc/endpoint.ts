/** The address of a gRPC server, such as an etcd member. */
export interface Endpoint {
  /** `http://host:port` or `https://host:port`. */
  readonly origin: string;
  readonly secure: boolean;
  /** Path of the Unix socket over which the server is reached, instead of the host of its origin. */
  readonly socket?: string | undefined;
}

/**
 * Parses the addresses of the members.
 *
 * @throws TypeError when the list is empty or contains an invalid URL
 */
export function parseEndpoints(urls: readonly string[]): readonly Endpoint[] {
  if (urls.length === 0) throw new TypeError('endpoints: at least one URL is needed, such as http://127.0.0.1:2379');
  return urls.map((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const plain =
      url !== undefined &&
      (url.pathname === '/' || url.pathname === '') &&
      url.search === '' &&
      url.username === '' &&
      url.hash === '';
    if (!plain || (url.protocol !== 'http:' && url.protocol !== 'https:'))
      throw new TypeError(`endpoints: ${JSON.stringify(text)} is not a URL such as http://127.0.0.1:2379`);
    return { origin: url.origin, secure: url.protocol === 'https:' };
  });
}
