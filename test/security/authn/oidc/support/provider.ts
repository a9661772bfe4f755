import { createHash, randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { vi } from 'vitest';
import type { NodeHttpClient } from '../../../../../src/transport/node/outbound/http-client.js';
import type { Host } from './host.js';

/** The client that tokens are issued to. */
export const CLIENT_ID = 'orchestrator';
export const CLIENT_SECRET = 'a-secret-of-the-client-that-nobody-may-see';
const REDIRECT_URI = 'https://client.example/callback';

/** A user with an account at the provider. */
export type Account = Readonly<Record<string, unknown>> & { readonly sub: string };

/** A key pair of a provider as a private JWK. */
export async function providerKey(kid: string, alg = 'RS256'): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg, use: 'sig' };
}

/** The library warns on the console about its development-only defaults. */
async function quietly<T>(work: () => T | Promise<T>): Promise<T> {
  const spies = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'info')].map((spy) =>
    spy.mockImplementation(() => undefined),
  );
  try {
    return await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const { Provider } = await quietly(() => import('oidc-provider'));

/** Runs a real OpenID provider with these keys and accounts on a host; called again, it changes them. */
export async function serveProvider(
  host: Host,
  keys: readonly JWK[],
  accounts: readonly Account[],
  redirectUri = REDIRECT_URI,
): Promise<void> {
  const configuration: ConstructorParameters<typeof Provider>[1] = {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        id_token_signed_response_alg: String(keys[0]?.alg) as 'RS256',
      },
    ],
    jwks: { keys: keys as never },
    cookies: { keys: ['a-key-of-the-cookies'] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AuthorizationCode: 60, AccessToken: 600, IdToken: 3600 },
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'PS256', 'ES256'] },
    // All attributes of an account go into the ID token.
    conformIdTokenClaims: false,
    claims: { openid: ['sub', ...new Set(accounts.flatMap(Object.keys))] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_, id) => {
      const account = accounts.find(({ sub }) => sub === id);
      return account === undefined ? undefined : { accountId: id, claims: () => account };
    },
    // A refresh token is good for one time.
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    // Every logged-in user has consented.
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client?.clientId,
        accountId: ctx.oidc.session?.accountId,
      });
      grant.addOIDCScope('openid');
      await grant.save();
      return grant;
    },
  };
  const provider = await quietly(() => new Provider(host.url, configuration));
  const callback = provider.callback();
  host.handler = (request, response) => {
    // The login page, with name and password.
    if (request.url?.startsWith('/interaction/') !== true) return void callback(request, response);
    const accountId = String(request.headers['x-account']);
    void provider.interactionFinished(request, response, { login: { accountId } }, { mergeWithLastSubmission: false });
  };
}

/**
 * Logs an account in by the authorization code flow with PKCE, as a browser and a client would. @returns the ID token
 */
export async function logIn(http: NodeHttpClient, host: Host, account: string): Promise<string> {
  return (await logInForLong(http, host, account)).idToken;
}

/** Logs an account in as {@link logIn} does. @returns its ID token, and the refresh token */
export async function logInForLong(
  http: NodeHttpClient,
  host: Host,
  account: string,
): Promise<{ readonly idToken: string; readonly refreshToken: string }> {
  const verifier = randomBytes(32).toString('base64url');
  const code = await authorize(http, host, account, createHash('sha256').update(verifier).digest('base64url'));
  const answer = await http({
    url: `${host.url}/token`,
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa(`${CLIENT_ID}:${CLIENT_SECRET}`)}`,
    },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier,
    }).toString(),
    tls: { certificateAuthority: host.caPem },
    maxBytes: 100_000,
  });
  const tokens = JSON.parse(new TextDecoder().decode(answer.body)) as { id_token?: string; refresh_token?: string };
  const { id_token: idToken, refresh_token: refreshToken } = tokens;
  if (idToken === undefined || refreshToken === undefined)
    throw new Error(`no tokens: ${answer.status} ${new TextDecoder().decode(answer.body)}`);
  return { idToken, refreshToken };
}

async function authorize(http: NodeHttpClient, host: Host, account: string, challenge: string): Promise<string> {
  const query = new URLSearchParams({
    client_id: CLIENT_ID,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: REDIRECT_URI,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  const returned = await visitProvider(http, host, account, `${host.url}/auth?${query.toString()}`);
  return returned.searchParams.get('code') ?? '';
}

/**
 * Goes to the provider as a browser does, and logs an account in.
 *
 * @returns the address to which the provider sends the browser at the end, with a code
 */
export async function visitProvider(http: NodeHttpClient, host: Host, account: string, from: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = from;
  for (let step = 0; step < 6; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await http({
      url,
      headers: { 'x-account': account, ...(cookie === '' ? {} : { cookie }) },
      tls: { certificateAuthority: host.caPem },
      maxBytes: 100_000,
    });
    const location = answer.header('location');
    if (location === undefined) throw new Error(`${url}: ${answer.status} ${new TextDecoder().decode(answer.body)}`);
    for (const [, name = '', value = ''] of (answer.header('set-cookie') ?? '').matchAll(/(?:^|, )([^=;, ]+)=([^;]*)/g))
      cookies.set(name, value);
    const next = new URL(location, url);
    if (next.searchParams.has('code')) return next;
    url = next.href;
  }
  throw new Error('the provider redirects in a loop');
}
