/** A request whose credentials were refused. */
export interface RefusedRequest {
  readonly headers: { get(name: string): string | undefined };
  readonly query: URLSearchParams;
  readonly peer: { readonly certificate?: (() => unknown) | undefined };
}

/** Returns which kinds of credentials a request had, in the words of Kubernetes. */
export function failedAuthenticationText({ headers, query, peer }: RefusedRequest): string {
  const authorization = (headers.get('authorization') ?? '').trim();
  const [scheme = '', ...rest] = authorization.split(' ');
  const methods = [
    ...(scheme.toLowerCase() === 'basic' && rest.length > 0 ? ['basic'] : []),
    ...(scheme.toLowerCase() === 'bearer' && rest.length > 0 ? ['bearer'] : []),
    ...((query.get('access_token') ?? '').trim() === '' ? [] : ['access_token']),
    ...(peer.certificate?.() === undefined ? [] : ['x509']),
  ];
  return methods.length === 0
    ? 'Authentication failed, no credentials provided'
    : `Authentication failed, attempted: ${methods.join(', ')}`;
}
