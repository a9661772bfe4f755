import type { Client } from '../../client/index.js';
import { Informer, type ExtensionTrust, type FrontProxyTrust } from '../../controllers/index.js';
import { importExtensionAuthentication } from '../../controllers/late.js';
import {
  aClock,
  aFunction,
  anObject,
  ApiError,
  checkOptions,
  chosenDialect,
  dialects,
  either,
  encodeUtf8,
  groupName,
  isJsonObject,
  kubernetes,
  oneOf,
  parseShortJson,
  systemClock,
  systemGroup,
  type Clock,
  type Dialect,
  type WebhookPost,
} from '../../foundation/index.js';
import { ConfigMap } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import type { ApiServerOptions } from '../options/api-server-options.js';

/** Options of {@link delegateTo}. */
export interface DelegationOptions {
  /** Dialect of the other server. Default `kubernetes`, like that of `connect`. */
  readonly dialect?: Dialect | 'orch' | 'kubernetes' | undefined;
  /** Default the host's. */
  readonly clock?: Clock | undefined;
  /** Called with each failure to follow the credentials; the last known ones stay in force. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A server that another one decides for. */
export interface Delegation {
  /** Options of the server that serves some groups of the other one: `new ApiServer({ ...options, resources })`. */
  readonly options: Required<Pick<ApiServerOptions, 'authentication' | 'authorization'>>;
  /**
   * Authorities of the client certificates that the server accepts, PEM: the listener has to ask for certificates of
   * them (`tls.ca`).
   */
  readonly authorities: string;
  /** Stops following the credentials. The client stays open. */
  close(): Promise<void>;
}

type Content = ObjectOf<typeof ConfigMap>['data'];

/** Time for which answers of the other server count, as in Kubernetes. */
const CACHE_TTL = '10s';

/**
 * Lets another server decide who users are and what they may do: for a server that serves API groups of the other one
 * (an extension server, which an APIService names). Users whom the other server passes on, with its client certificate,
 * are known; the certificates that it accepts are accepted; tokens and rights are reviewed by it, and its answers count
 * for ten seconds.
 *
 * The authorities are those of the ConfigMap `extension-apiserver-authentication`, and are followed. The names in it, such
 * as those of header fields, are read once.
 *
 * @param client client of the other server, whose user may read the ConfigMap and create reviews: the role
 *   `extension-apiserver-authentication-reader` and the cluster role `system:auth-delegator`
 * @throws ApiError when the ConfigMap cannot be read; TypeError for an invalid option
 * @see release 1.31, DelegatingAuthenticationOptions and DelegatingAuthorizationOptions
 */
export async function delegateTo(client: Client, options: DelegationOptions = {}): Promise<Delegation> {
  checkOptions('delegateTo', options, {
    dialect: either(anObject, oneOf(...dialects.keys())),
    clock: aClock,
    onError: aFunction,
  });
  const { clock = systemClock, onError } = options;
  const dialect = chosenDialect(options.dialect ?? kubernetes);
  const { NAME, trustOf } = await importExtensionAuthentication();
  const source = client.resource(ConfigMap).namespace(dialect.namespaces.system);
  let current: ExtensionTrust = trustOf((await source.get(NAME)).data);
  const learn = ({ data }: { readonly data?: Content | undefined }): void => void (current = trustOf(data));
  const maps = new Informer({ source, fieldSelector: `metadata.name=${NAME}`, clock, onError });
  maps.subscribe({ added: learn, updated: learn });
  maps.start();
  const review = (group: string, kind: string): WebhookPost =>
    reviewPost(client.resource({ apiVersion: `${groupName(systemGroup(group), dialect)}/v1`, kind }));
  const clients = (): string => current.clientAuthorities;
  const proxies = (): string => current.frontProxy?.authorities ?? '';
  return {
    options: {
      authentication: {
        // As in Kubernetes, tokens are not bound to this server: they are those of the other one.
        apiAudiences: [],
        clientCertificates: clients() === '' ? undefined : { certificateAuthorities: clients },
        requestHeader: current.frontProxy && { ...namesOf(current.frontProxy), certificateAuthorities: proxies },
        tokenWebhook: { post: review('authentication', 'TokenReview'), version: 'v1', cacheTtl: CACHE_TTL },
      },
      authorization: {
        modes: ['Webhook'],
        webhook: {
          post: review('authorization', 'SubjectAccessReview'),
          ...{ version: 'v1', authorizedTtl: CACHE_TTL, unauthorizedTtl: CACHE_TTL },
        },
      },
    },
    authorities: clients() + proxies(),
    close: () => maps.stop(),
  };
}

const namesOf = ({ allowedNames, usernameHeaders, groupHeaders, extraHeaderPrefixes }: FrontProxyTrust) => ({
  ...{ allowedNames, usernameHeaders, groupHeaders, extraHeaderPrefixes },
});

/** The kind of a review, at the server that answers it. */
interface Reviews {
  create(review: object, options: { readonly signal: AbortSignal }): Promise<object>;
}

/** Returns a post that creates a review by a client. A refusal is the answer of a webhook. */
const reviewPost =
  (reviews: Reviews): WebhookPost =>
  async (body, signal) => {
    const review = parseShortJson(body);
    if (!isJsonObject(review)) throw new TypeError('a review is an object');
    const { apiVersion, kind, ...content } = review;
    const answer = (status: number, object: object) => ({
      status,
      header: (name: string) => (name === 'content-type' ? 'application/json' : undefined),
      body: encodeUtf8(JSON.stringify(object)),
    });
    try {
      // Both servers may have dialects of their own.
      return answer(201, { ...(await reviews.create(content, { signal })), apiVersion, kind });
    } catch (error) {
      if (error instanceof ApiError) return answer(error.code, error.status);
      throw error;
    }
  };
