import type { Client } from '../../client/index.js';
import { encodeBase64Text } from '../../foundation/index.js';
import { Secret, ServiceAccount } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import type { LegacyTokenBinding } from '../../security/index.js';
import type { ControllerHost } from '../runtime/controller-host.js';
import { joined, type Controller } from '../runtime/controller.js';
import { ignoring, orAbsent, retryOnConflict } from '../runtime/failures.js';
import { objectKey } from '../runtime/informer-cache.js';
import type { Informer } from '../runtime/informer.js';
import { keyedReconciler } from '../runtime/keyed-reconciler.js';
import { reconciler } from '../runtime/reconciler.js';
import { view } from '../runtime/sources.js';
import { watched } from '../runtime/watch.js';

type TokenSecret = ObjectOf<typeof Secret>;
type Account = ObjectOf<typeof ServiceAccount>;

/** Options of {@link serviceAccountTokenController}. */
export interface ServiceAccountTokenControllerOptions extends ControllerHost {
  /** Signs a token without an expiry. */
  readonly sign: (binding: LegacyTokenBinding) => Promise<string>;
  /** Returns the certificate authority as PEM; called at each use. Undefined while there is none. */
  readonly certificateAuthority?: (() => string | undefined) | undefined;
}

/** The annotations by which a Secret names its account. */
interface AnnotationNames {
  readonly account: string;
  readonly uid: string;
}

/** The entries of a Secret that the controller fills in. */
type Entries = Readonly<Record<string, string>>;

/** Name of the work queues in metrics. */
const QUEUE = 'serviceaccount_tokens_secret';

/**
 * Fills in the Secrets of the type for service account tokens: the token, the namespace and the certificate authority.
 * Deletes the Secrets of deleted accounts, and removes deleted Secrets from the list of their account.
 */
export function serviceAccountTokenController(options: ServiceAccountTokenControllerOptions): Controller {
  const { client, dialect, informers } = options;
  const name = 'serviceaccount-token';
  const names: AnnotationNames = {
    account: `${dialect.labelDomain}/service-account.name`,
    uid: `${dialect.labelDomain}/service-account.uid`,
  };
  const accountOf = ({ metadata: { namespace = '', annotations = {} } }: TokenSecret): string =>
    `${namespace}/${annotations[names.account] ?? ''}`;
  const tokenSecrets = view(Secret, { fieldSelector: `type=${dialect.secretTypes.serviceAccountToken}` });
  const secrets = informers.of(tokenSecrets);
  const tokens = new TokenSecrets(options, names);
  const filled = reconciler(options, {
    name,
    queue: QUEUE,
    kind: tokenSecrets,
    indexes: { account: (secret) => [accountOf(secret)] },
    watches: [
      watched(ServiceAccount, {
        map: (account, cached) => cached(tokenSecrets).find('account', objectKey(account)),
      }),
    ],
    reconcile: (secret) => tokens.reconcile(secret),
  });
  const references = keyedReconciler(options, {
    name,
    queue: QUEUE,
    watches: [
      watched(tokenSecrets, {
        changes: { deleted: (secret) => [`${accountOf(secret)}/${secret.metadata.name ?? ''}`] },
      }),
    ],
    reconcile: (key) => removeReference(client, secrets, key),
  });
  return joined(name, filled, references);
}

class TokenSecrets {
  readonly #options: ServiceAccountTokenControllerOptions;
  readonly #names: AnnotationNames;

  constructor(options: ServiceAccountTokenControllerOptions, names: AnnotationNames) {
    this.#options = options;
    this.#names = names;
  }

  async reconcile(secret: TokenSecret): Promise<void> {
    if (secret.metadata.deletionTimestamp !== undefined) return;
    const account = await this.#findAccount(secret);
    if (account === undefined) await this.#remove(secret);
    else if (Object.keys(this.#missingEntries(secret)).length > 0 || missesToken(secret))
      await this.#fill(secret, account);
  }

  /** Returns the account that a Secret names. The cache may be older than the Secret. */
  async #findAccount({ metadata: { namespace = '', annotations = {} } }: TokenSecret): Promise<Account | undefined> {
    const { client, informers } = this.#options;
    const { [this.#names.uid]: uid = '', [this.#names.account]: name = '' } = annotations;
    const matches = (account: Account | undefined): account is Account =>
      account !== undefined && (uid === '' || account.metadata.uid === uid);
    const known = informers.of(ServiceAccount).get(`${namespace}/${name}`);
    if (matches(known)) return known;
    if (name === '') return undefined;
    const current = await orAbsent(client.resource(ServiceAccount).namespace(namespace).get(name));
    return matches(current) ? current : undefined;
  }

  /** Returns the entries besides the token that a Secret lacks. */
  #missingEntries({ metadata: { namespace = '' }, data = {} }: TokenSecret): Entries {
    const authority = this.#options.certificateAuthority?.();
    const certificate = authority === undefined ? undefined : encodeBase64Text(authority);
    return {
      ...(certificate !== undefined && data['ca.crt'] !== certificate ? { 'ca.crt': certificate } : {}),
      ...((data['namespace'] ?? '') === '' ? { namespace: encodeBase64Text(namespace) } : {}),
    };
  }

  async #fill({ metadata: { namespace = '', name = '' } }: TokenSecret, account: Account): Promise<void> {
    const inNamespace = this.#options.client.resource(Secret).namespace(namespace);
    const { name: accountName = '', uid = '' } = account.metadata;
    const binding: LegacyTokenBinding = { namespace, serviceAccount: { name: accountName, uid }, secretName: name };
    const owner = { [this.#names.account]: accountName, [this.#names.uid]: uid };
    await retryOnConflict(async () => {
      const current = await orAbsent(inNamespace.get(name));
      if (current === undefined) return;
      const token = missesToken(current) ? { token: encodeBase64Text(await this.#options.sign(binding)) } : {};
      const { metadata, data } = current;
      await inNamespace.update({
        ...current,
        metadata: { ...metadata, annotations: { ...metadata.annotations, ...owner } },
        data: { ...data, ...this.#missingEntries(current), ...token },
      });
    });
  }

  async #remove({ metadata: { namespace = '', name = '', uid } }: TokenSecret): Promise<void> {
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    const removal = this.#options.client.resource(Secret).namespace(namespace).delete(name, preconditions);
    // Another request has deleted or replaced the Secret: a replacement is run by its event.
    await ignoring(removal, 'NotFound', 'Conflict');
  }
}

const missesToken = ({ data = {} }: TokenSecret): boolean => (data['token'] ?? '') === '';

/** Removes a deleted Secret from the list of its account. */
async function removeReference(client: Client, secrets: Informer<TokenSecret>, key: string): Promise<void> {
  const [namespace = '', accountName = '', secretName = ''] = key.split('/');
  if (accountName === '' || secrets.get(`${namespace}/${secretName}`) !== undefined) return;
  const inNamespace = client.resource(ServiceAccount).namespace(namespace);
  await retryOnConflict(async () => {
    const account = await orAbsent(inNamespace.get(accountName));
    const kept = account?.secrets?.filter(({ name }) => name !== secretName);
    if (account === undefined || kept?.length === account.secrets?.length) return;
    await inNamespace.update({ ...account, secrets: kept });
  });
}
