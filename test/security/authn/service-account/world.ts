import type { AuthResult, TokenAuthenticator } from '../../../../src/security/index.js';
import type { TokenContext } from '../../../../src/security/authn/authenticator.js';
import {
  createServiceAccountAuthenticator,
  createServiceAccountTokenIssuer,
  type BoundObject,
  type PodObject,
  type SecretObject,
  type ServiceAccountAuthenticatorOptions,
  type ServiceAccountLookup,
  type ServiceAccountObject,
  type ServiceAccountTokenIssuer,
  type ServiceAccountTokenIssuerOptions,
  type TokenRequestSpec,
} from '../../../../src/security/authn/service-account/index.js';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import { orch } from '../../../../src/foundation/dialect/dialect.js';
import { createManualClock, seededEntropy, type ManualClock } from '../../../../src/entries/testing.js';
import { encodeBase64UrlText } from '../../../../src/foundation/encoding/base64url.js';
import {
  generateSigningKey,
  makeServiceAccountClaims,
  type KeyOptions,
  type NewServiceAccountClaims,
  type SigningAlgorithm,
  type TokenSigner,
} from '../../../../src/security/tokens/index.js';

export const ISSUER = 'https://issuer.example';
export const API = 'https://api.example';

/** Objects that a test may remove, and a key. */
export interface World {
  readonly clock: ManualClock;
  readonly signer: TokenSigner;
  readonly accounts: Map<string, ServiceAccountObject>;
  readonly secrets: Map<string, SecretObject>;
  readonly pods: Map<string, PodObject>;
  readonly nodes: Map<string, BoundObject>;
  readonly lookup: ServiceAccountLookup;
  authenticator(options?: Partial<ServiceAccountAuthenticatorOptions>): TokenAuthenticator;
  issuer(options?: Partial<ServiceAccountTokenIssuerOptions>): ServiceAccountTokenIssuer;
  /** A token of the account `team/robot`. */
  token(spec?: TokenRequestSpec): Promise<string>;
  /** The claims of such a token, with changes. */
  claims(changes?: Partial<NewServiceAccountClaims>): JsonObject;
  /** A token with any header and payload, signed by the key of the world or by another one. */
  forge(payload: JsonObject | string, header?: JsonObject, signer?: TokenSigner): Promise<string>;
}

export interface WorldOptions extends KeyOptions {
  readonly algorithm?: SigningAlgorithm;
  /** Whether lookups return promises. */
  readonly slow?: boolean;
}

export const NOBODY: TokenContext = { signal: new AbortController().signal };

/** An account `robot` in the namespace `team`, with a pod on a node and a Secret. */
export async function createWorld({ slow = false, ...keyOptions }: WorldOptions = {}): Promise<World> {
  const clock = createManualClock();
  const entropy = seededEntropy('tokens');
  const signer = await generateSigningKey(keyOptions);
  const accounts = new Map<string, ServiceAccountObject>([['team/robot', { metadata: { uid: 'account-1' } }]]);
  const secrets = new Map<string, SecretObject>([['team/anchor', { metadata: { uid: 'secret-1' } }]]);
  const pods = new Map<string, PodObject>([
    ['team/runner', { metadata: { uid: 'pod-1' }, spec: { serviceAccountName: 'robot', nodeName: 'node' } }],
  ]);
  const nodes = new Map<string, BoundObject>([['node', { metadata: { uid: 'node-1' } }]]);
  const answer = <Type>(value: Type): Type | Promise<Type> => (slow ? Promise.resolve(value) : value);
  const lookup: ServiceAccountLookup = {
    serviceAccount: (namespace, name) => answer(accounts.get(`${namespace}/${name}`)),
    secret: (namespace, name) => answer(secrets.get(`${namespace}/${name}`)),
    pod: (namespace, name) => answer(pods.get(`${namespace}/${name}`)),
    node: (name) => answer(nodes.get(name)),
  };
  const common = { dialect: orch, clock, audiences: [API], lookup };
  const issuer: World['issuer'] = (options = {}) =>
    createServiceAccountTokenIssuer({ ...common, signer: () => signer, issuer: ISSUER, entropy, ...options });
  const own = issuer();
  return {
    clock,
    signer,
    accounts,
    secrets,
    pods,
    nodes,
    lookup,
    issuer,
    authenticator: (options = {}) =>
      createServiceAccountAuthenticator({ ...common, issuers: [ISSUER], keys: [signer.publicKey], ...options }),
    token: async (spec) => (await own.issue({ namespace: 'team', name: 'robot', ...(spec && { spec }) })).status.token,
    claims: (changes = {}) => {
      const account = { namespace: 'team', serviceAccount: { name: 'robot', uid: 'account-1' } };
      return makeServiceAccountClaims(
        {
          issuer: ISSUER,
          audiences: [API],
          id: 'id',
          nowMs: clock.now(),
          lifetimeSeconds: 600,
          ...account,
          ...changes,
        },
        orch,
      );
    },
    forge: async (payload, header = { alg: signer.algorithm, kid: signer.keyId }, by = signer) => {
      const input = `${encodeBase64UrlText(JSON.stringify(header))}.${encodeBase64UrlText(typeof payload === 'string' ? payload : JSON.stringify(payload))}`;
      return `${input}.${await by.sign(input)}`;
    },
  };
}

/** The outcome of an answer, in a word or two. */
export function verdict(result: AuthResult): string {
  if (result === undefined) return 'no opinion';
  return 'error' in result ? result.error.message : result.user.username;
}

export const ROBOT = 'system:serviceaccount:team:robot';
