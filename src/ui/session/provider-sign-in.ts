/**
 * Signing in by an OpenID provider: the authorization code flow with PKCE. The page asks where to go
 * (`POST /ui/v1/oidc`), the provider sends the browser back to the page, and the page exchanges what it brings
 * (`POST /ui/v1/session`). No token is ever in an address.
 *
 * An attempt has two halves, like a session: its `state`, which travels via the provider, is the key to a cookie with the
 * rest. So only the browser that began an attempt can finish it, and the server keeps nothing meanwhile.
 *
 * @see OpenID Connect Core 1.0 section 3.1; RFC 7636 (PKCE); RFC 9207 (issuer in the answer); RFC 9700
 * @module
 */
import {
  decodeBase64UrlText,
  decodeUtf8Lossy,
  encodeBase64Url,
  encodeUtf8,
  isJsonObject,
  messageOf,
  parsedJson,
  stringOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../foundation/index.js';
import {
  askForTokens,
  DEFAULT_OIDC_LIMITS,
  discoverSignIn,
  documentReader,
  TOKEN_ERROR_CODE,
  type SignInEndpoints,
} from '../../security/index.js';
import type { ApiRequest, ApiResponse } from '../../server/index.js';
import type { PageOptions } from '../options.js';
import { ATTEMPTS, cookieIn, endedCookie, endedForRoom, keptCookie } from './cookies.js';
import type { PageHost, PageProvider } from './page-host.js';
import { idOf, newKey, seal, unseal } from './sealed.js';
import { answer, refusal } from './session-answers.js';

/** How long people may take at the provider. */
const ATTEMPT_MS = 10 * 60_000;
/** How long the provider's endpoints are kept. */
const ENDPOINTS_MS = 10 * 60_000;
/** Time that the provider has to answer. */
const TIMEOUT_MS = 30_000;
/** The most exchanges at a time. */
const MOST_EXCHANGES = 8;
/** The most attempts that are remembered as used. */
const MOST_USED = 1000;
/** Where the provider sends the browser, below the page. */
const RETURN_PATH = '/ui/sign-in';
const DEFAULT_SCOPES = ['profile', 'email'];

/** The token of a user who has signed in and the cookie that ends the attempt, or the response that refuses the user. */
export type SignedIn = { readonly token: string; readonly setCookie: string } | { readonly refused: ApiResponse };

/** A provider by which people can sign in. */
export interface ProviderOffer {
  readonly name: string;
  /** URL of its issuer. */
  readonly issuer: string;
}

/** Signs people in by the providers of a server. */
export class ProviderSignIn {
  readonly #host: PageHost;
  readonly #options: PageOptions['openIdConnect'];
  /** The endpoints of providers, by the URLs of their issuers. */
  readonly #endpoints = new Map<string, { readonly read: Promise<SignInEndpoints>; readonly until: number }>();
  #exchanges = 0;
  /** The ends of the attempts that were used, in the order of their use. */
  readonly #used = new Map<string, number>();

  constructor(host: PageHost, options: PageOptions['openIdConnect']) {
    this.#host = host;
    this.#options = options;
  }

  /** The providers by which people can sign in: their hosts, or their URLs where several have the same host. */
  get offers(): readonly ProviderOffer[] {
    const providers = this.#providers().map(({ issuerUrl }) => ({ issuer: issuerUrl, url: new URL(issuerUrl) }));
    return providers.map(({ issuer, url: { host, pathname } }) => {
      const isAlone = providers.filter(({ url }) => url.host === host).length === 1;
      return { name: isAlone ? host : host + pathname, issuer };
    });
  }

  /**
   * Begins an attempt.
   *
   * @param given `{ redirectUri, issuer? }`: the address of the page to which the provider sends the browser, and the URL of
   *   the issuer, which may be missing where there is one
   * @returns the address to which the page goes
   */
  async begin(request: ApiRequest, { redirectUri, issuer }: JsonObject): Promise<ApiResponse> {
    const provider = this.#providerOf(issuer);
    if (provider === undefined)
      return issuer === undefined && this.#providers().length > 1
        ? refusal(400, 'BadRequest', 'issuer must be given: the server has several OpenID providers')
        : refusal(404, 'NotFound', 'the server has no such OpenID provider for the page');
    if (!isOwnAddress(redirectUri, request))
      return refusal(400, 'BadRequest', `redirectUri must be the address of ${RETURN_PATH} of this page`);
    let endpoints: SignInEndpoints;
    try {
      endpoints = await this.#endpointsOf(provider);
    } catch (error) {
      return refusal(502, 'InternalError', `the OpenID provider cannot be asked: ${messageOf(error)}`);
    }
    const randomBytes = (length: number): Uint8Array => this.#host.randomBytes(length);
    const [state, nonce, verifier] = [newKey(randomBytes), newKey(randomBytes), newKey(randomBytes)];
    const expires = this.#host.clock().now() + ATTEMPT_MS;
    const attempt = { nonce, verifier, redirectUri, issuer: provider.issuerUrl, expires };
    const { tls } = request.peer;
    const url = new URL(endpoints.authorization);
    const parameters = {
      ...{ client_id: provider.clientId, response_type: 'code', redirect_uri: redirectUri, state, nonce },
      scope: ['openid', ...this.#scopes()].join(' '),
      ...{ code_challenge: await challengeOf(verifier), code_challenge_method: 'S256' },
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const sealed = await seal(state, attempt, randomBytes);
    const kept = keptCookie(ATTEMPTS, (await idOf(state)) ?? '', sealed, tls, ATTEMPT_MS / 1000);
    const ended = endedForRoom(ATTEMPTS, request.headers.get('cookie'), tls, kept);
    return answer(201, { url: url.href }, { 'set-cookie': [...ended, kept] });
  }

  /** Finishes an attempt. @param given `{ state, code, iss? }`, as the provider has sent them with the browser */
  async finish(request: ApiRequest, given: JsonObject): Promise<SignedIn> {
    const [state, code, iss] = ['state', 'code', 'iss'].map((name) => stringOrEmpty(given[name]));
    const { tls } = request.peer;
    const id = await idOf(state ?? '');
    const cookie = cookieIn(ATTEMPTS, request.headers.get('cookie'), id, tls);
    const attempt = cookie === undefined ? undefined : await unseal(state ?? '', cookie);
    const provider = attempt === undefined ? undefined : this.#providerOf(attempt['issuer']);
    if (id === undefined || attempt === undefined || provider === undefined || code === undefined || code === '')
      return refused('this browser began no such sign-in: sign in again');
    const setCookie = endedCookie(ATTEMPTS, id, tls);
    const fail = (message: string): SignedIn => refused(message, setCookie);
    const { nonce, verifier, redirectUri, expires } = attempt;
    // The attempt can be finished later.
    if (this.#exchanges >= MOST_EXCHANGES) return busy();
    if (!this.#use(id, Number(expires)))
      return fail('the sign-in took too long, or was finished before: sign in again');
    this.#exchanges += 1;
    try {
      const endpoints = await this.#endpointsOf(provider);
      // An answer of another provider must not be taken for one of this (RFC 9700 section 4.4).
      if (iss === '' ? endpoints.namesIssuer : iss !== provider.issuerUrl)
        return fail('the answer is not that of the OpenID provider');
      const token = await this.#exchange(provider, endpoints.token, {
        ...{ grant_type: 'authorization_code', code },
        ...{ redirect_uri: stringOrEmpty(redirectUri), code_verifier: stringOrEmpty(verifier) },
      });
      if (!isFor(token, provider, stringOrEmpty(nonce)))
        return fail('the ID token of the OpenID provider does not belong to this sign-in');
      return { token, setCookie };
    } catch (error) {
      return fail(`the OpenID provider did not confirm the sign-in: ${messageOf(error)}`);
    } finally {
      this.#exchanges -= 1;
    }
  }

  #providers(): readonly PageProvider[] {
    return this.#options === false ? [] : this.#host.providers();
  }

  /** Returns the provider with an issuer; without one, the only provider. */
  #providerOf(issuer: JsonValue | undefined): PageProvider | undefined {
    const providers = this.#providers();
    if (issuer === undefined) return providers.length === 1 ? providers[0] : undefined;
    return providers.find(({ issuerUrl }) => issuerUrl === issuer);
  }

  /** Returns the secret of the client. It is that of one provider: no other may learn it. */
  #clientSecret(): string {
    const isAlone = this.#providers().length === 1;
    return (this.#options === false || !isAlone ? undefined : this.#options?.clientSecret) ?? '';
  }

  #scopes(): readonly string[] {
    return (this.#options === false ? undefined : this.#options?.scopes) ?? DEFAULT_SCOPES;
  }

  /** Returns whether an attempt may be finished now. After that it counts as used. */
  #use(id: string, expires: number): boolean {
    const now = this.#host.clock().now();
    for (const [other, end] of this.#used) {
      if (end > now && this.#used.size < MOST_USED) break;
      this.#used.delete(other);
    }
    if (!(now < expires) || this.#used.has(id)) return false;
    this.#used.set(id, expires);
    return true;
  }

  /** Returns the endpoints of the provider. A failure is not kept. */
  #endpointsOf({ issuerUrl, discoveryUrl, certificateAuthority, http }: PageProvider): Promise<SignInEndpoints> {
    const clock = this.#host.clock();
    const known = this.#endpoints.get(issuerUrl);
    if (known !== undefined && clock.now() < known.until) return known.read;
    const { signal } = new AbortController();
    const reader = documentReader({ http, clock, certificateAuthority, limits: DEFAULT_OIDC_LIMITS, signal });
    const read = discoverSignIn(reader, issuerUrl, discoveryUrl);
    const kept = { read, until: clock.now() + ENDPOINTS_MS };
    this.#endpoints.set(issuerUrl, kept);
    read.catch(() => {
      if (this.#endpoints.get(issuerUrl) === kept) this.#endpoints.delete(issuerUrl);
    });
    return read;
  }

  /** Exchanges a code. @returns the ID token @throws Error whose message contains no secret */
  async #exchange(
    { clientId, certificateAuthority, http }: PageProvider,
    url: string,
    grant: Readonly<Record<string, string>>,
  ): Promise<string> {
    const clientSecret = this.#clientSecret();
    const leaving = new AbortController();
    const timer = this.#host.clock().after(TIMEOUT_MS, () => leaving.abort(new Error('it did not answer in time')));
    try {
      const client = { clientId, clientSecret, certificateAuthority, http };
      const { status, body } = await askForTokens(client, url, grant, leaving.signal);
      const tokens = parsedJson(decodeUtf8Lossy(body));
      const token = status === 200 && isJsonObject(tokens) ? stringOrEmpty(tokens['id_token']) : '';
      if (/^[\x21-\x7e]+$/.test(token)) return token;
      const error = isJsonObject(tokens) ? stringOrEmpty(tokens['error']) : '';
      throw new Error(status === 200 ? 'it sent no ID token' : TOKEN_ERROR_CODE.test(error) ? error : String(status));
    } finally {
      timer.cancel();
    }
  }
}

const refused = (message: string, setCookie?: string): SignedIn => ({
  refused: refusal(401, 'Unauthorized', message, setCookie === undefined ? {} : { 'set-cookie': setCookie }),
});

const busy = (): SignedIn => ({
  refused: refusal(429, 'TooManyRequests', 'too many people sign in at this moment', { 'retry-after': '1' }),
});

/** Returns whether an address is that of the page that sends a request: the provider sends the browser there. */
function isOwnAddress(address: JsonValue | undefined, { headers, peer }: ApiRequest): address is string {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const { protocol, host, pathname, search, hash, username, password, href } = new URL(address);
  // A proxy may terminate TLS in front of a listener in plaintext, not the other way round.
  const isScheme = protocol === 'https:' || (protocol === 'http:' && !peer.tls);
  const isPlain = search === '' && hash === '' && username === '' && password === '' && href === address;
  return isScheme && isPlain && host === hostOf(headers, protocol) && pathname.endsWith(RETURN_PATH);
}

/** Returns the host that a request was sent to, without the port that its scheme has anyway. */
function hostOf(headers: ApiRequest['headers'], protocol: string): string | undefined {
  const host = headers.get('host') ?? headers.get(':authority');
  const url = `${protocol}//${host}`;
  return host !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
}

/** Returns whether an ID token is for the client, and for an attempt. The server verifies all else of it. */
function isFor(token: string, { clientId, issuerUrl }: PageProvider, nonce: string): boolean {
  const claims = parsedJson(decodeBase64UrlText(token.split('.')[1] ?? '') ?? '');
  if (!isJsonObject(claims)) return false;
  const { iss, aud, azp } = claims;
  const audiences = [aud ?? []].flat();
  return (
    nonce !== '' &&
    claims['nonce'] === nonce &&
    iss === issuerUrl &&
    audiences.includes(clientId) &&
    (audiences.length === 1 || azp === clientId)
  );
}

/** Returns the challenge of a verifier (RFC 7636 section 4.2). */
const challengeOf = async (verifier: string): Promise<string> =>
  encodeBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(encodeUtf8(verifier)))));
