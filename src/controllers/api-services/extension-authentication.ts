import type { Client, ResourceClient } from '../../client/index.js';
import { isArray, parseShortJson, type Clock, type Dialect } from '../../foundation/index.js';
import { ConfigMap } from '../../kinds/index.js';
import type { InputOf, ObjectOf } from '../../registry/index.js';
import { readableCertificates } from '../../security/index.js';
import type { Controller } from '../runtime/controller.js';
import { ignoring, orAbsent, retryOnConflict } from '../runtime/failures.js';
import type { ReconcilerHost } from '../runtime/keyed-reconciler.js';
import { routine, runs } from '../runtime/routine.js';
import { view } from '../runtime/sources.js';
import { watched } from '../runtime/watch.js';

/** The users whom the server passes on, and how it proves that it may name them. */
export interface FrontProxyTrust {
  /** Authorities of the certificates with which the server calls others, PEM. */
  readonly authorities: string;
  /** Common names of these certificates; empty allows any of the authorities. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

/** The credentials that the servers of other API groups may accept as this server does. */
export interface ExtensionTrust {
  /** Authorities of client certificates, PEM; empty without any. */
  readonly clientAuthorities: string;
  /** Undefined when the server does not know the authority of its certificate. */
  readonly frontProxy: FrontProxyTrust | undefined;
}

/** The parts with which {@link ExtensionAuthentication} writes. */
export interface ExtensionAuthenticationParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  /** Returns the current credentials. */
  readonly trust: () => Promise<ExtensionTrust>;
}

/** Name of the ConfigMap, in the system namespace. */
export const NAME = 'extension-apiserver-authentication';
/** Time after which changed files of authorities are noticed at the latest, and expired ones go. */
const RESYNC_MS = 12 * 3_600_000;
/** Time for which an expired authority stays, since clocks differ. */
const EXPIRY_SLACK_MS = 5 * 60_000;

/** Of a text with authorities. */
const LIMITS = { maxLength: 128 * 1024 };

const CLIENT_AUTHORITIES = 'client-ca-file';
const PROXY_AUTHORITIES = 'requestheader-client-ca-file';
/** The lists of names, and the keys that have them in JSON. */
const LISTS = {
  usernameHeaders: 'requestheader-username-headers',
  groupHeaders: 'requestheader-group-headers',
  extraHeaderPrefixes: 'requestheader-extra-headers-prefix',
  allowedNames: 'requestheader-allowed-names',
} as const satisfies { readonly [List in Exclude<keyof FrontProxyTrust, 'authorities'>]: string };
const LIST_NAMES = ['usernameHeaders', 'groupHeaders', 'extraHeaderPrefixes', 'allowedNames'] as const;

type Data = NonNullable<ObjectOf<typeof ConfigMap>['data']>;

/**
 * The ConfigMap from which the servers of other API groups learn whom this server authenticates, and how it passes users
 * on. What the other servers of the store have written stays in it.
 *
 * @see release 1.31, pkg/controlplane/controller/clusterauthenticationtrust
 */
export class ExtensionAuthentication {
  readonly #maps: ResourceClient<ObjectOf<typeof ConfigMap>, InputOf<typeof ConfigMap>>;
  readonly #parts: ExtensionAuthenticationParts;

  constructor(parts: ExtensionAuthenticationParts) {
    this.#parts = parts;
    this.#maps = parts.client.resource(ConfigMap).namespace(parts.dialect.namespaces.system);
  }

  /**
   * Writes what is missing.
   *
   * @throws ApiError when a request fails; StorageError when an authority cannot be read
   */
  async write(): Promise<void> {
    const own = await this.#parts.trust();
    await retryOnConflict(() => this.#add(own));
  }

  async #add(own: ExtensionTrust): Promise<void> {
    const { clock, dialect } = this.#parts;
    const stored = await orAbsent(this.#maps.get(NAME));
    const data = combined(stored?.data ?? {}, own, clock.now());
    if (isLike(stored?.data ?? {}, data)) return;
    const writing = { fieldManager: dialect.apiServerName };
    if (stored === undefined)
      await ignoring(this.#maps.create({ metadata: { name: NAME }, data }, writing), 'AlreadyExists');
    else await this.#maps.update({ ...stored, data }, writing);
  }
}

/** Returns the controller that maintains the ConfigMap. */
export function extensionAuthentication(options: ExtensionAuthenticationParts & ReconcilerHost): Controller {
  const published = new ExtensionAuthentication(options);
  const { system: namespace } = options.dialect.namespaces;
  const map = view(ConfigMap, { namespace, fieldSelector: `metadata.name=${NAME}` });
  return routine(options, {
    name: NAME,
    queue: 'cluster_authentication_trust_controller',
    watches: [watched(map, { changes: { updated: runs, deleted: runs } })],
    run({ requeueAfter }) {
      requeueAfter(RESYNC_MS);
      return published.write();
    },
  });
}

/** Returns the content of the ConfigMap with what a server adds to it. */
function combined(stored: Data, { clientAuthorities, frontProxy }: ExtensionTrust, nowMs: number): Data {
  const data: Data = {};
  const client = authoritiesIn([stored[CLIENT_AUTHORITIES], clientAuthorities], nowMs);
  if (client !== '') data[CLIENT_AUTHORITIES] = client;
  const proxy = authoritiesIn([stored[PROXY_AUTHORITIES], frontProxy?.authorities], nowMs);
  if (proxy === '') return data;
  data[PROXY_AUTHORITIES] = proxy;
  for (const list of LIST_NAMES) {
    const names = new Set([...namesIn(stored[LISTS[list]]), ...(frontProxy?.[list] ?? [])]);
    data[LISTS[list]] = JSON.stringify([...names]);
  }
  return data;
}

/** Returns the valid certificates of several texts, each once. A text that cannot be read counts as empty. */
function authoritiesIn(texts: readonly (string | undefined)[], nowMs: number): string {
  const certificates = new Set<string>();
  for (const text of texts)
    for (const { pem, notAfter } of readableCertificates(text ?? '', LIMITS))
      if (notAfter + EXPIRY_SLACK_MS > nowMs) certificates.add(pem);
  return [...certificates].join('');
}

/** Returns the credentials that the ConfigMap of another server names. */
export function trustOf(data: Data = {}): ExtensionTrust {
  const { [CLIENT_AUTHORITIES]: clientAuthorities = '', [PROXY_AUTHORITIES]: authorities = '' } = data;
  if (authorities === '') return { clientAuthorities, frontProxy: undefined };
  return {
    clientAuthorities,
    frontProxy: {
      authorities,
      usernameHeaders: namesIn(data[LISTS.usernameHeaders]),
      groupHeaders: namesIn(data[LISTS.groupHeaders]),
      extraHeaderPrefixes: namesIn(data[LISTS.extraHeaderPrefixes]),
      allowedNames: namesIn(data[LISTS.allowedNames]),
    },
  };
}

/** Returns the names of a list in JSON; none for another text. */
function namesIn(text = '[]'): readonly string[] {
  try {
    const names = parseShortJson(text);
    return isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

const isLike = (stored: Data, wanted: Data): boolean =>
  Object.keys(stored).length === Object.keys(wanted).length &&
  Object.entries(wanted).every(([key, value]) => stored[key] === value);
