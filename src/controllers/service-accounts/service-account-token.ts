import type { Client } from '../../client/index.js';
import { encodeBase64Text, type Clock, type Dialect } from '../../foundation/index.js';
import { Secret, ServiceAccount } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import type { LegacyTokenBinding } from '../../security/index.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason, retryOnConflict } from '../runtime/failures.js';
import { objectKey } from '../runtime/informer-cache.js';
import { Informer } from '../runtime/informer.js';
import type { SharedInformers } from '../runtime/shared-informers.js';
import { WorkQueue } from '../runtime/work-queue.js';

type TokenSecret = ObjectOf<typeof Secret>;
type Account = ObjectOf<typeof ServiceAccount>;

/** Options of {@link serviceAccountTokenController}. */
export interface ServiceAccountTokenControllerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly informers: SharedInformers;
  /** Signs a token without an expiry. */
  readonly sign: (binding: LegacyTokenBinding) => Promise<string>;
  /** Returns the certificate authority as PEM; called at each use. Undefined while there is none. */
  readonly certificateAuthority?: (() => string | undefined) | undefined;
  readonly onError: (error: unknown) => void;
}

/** The entries of a Secret that the controller fills in. */
type Entries = Readonly<Record<string, string>>;

/**
 * Fills in the Secrets of the type for service account tokens: the token, the namespace and the certificate authority.
 * Deletes the Secrets of deleted accounts, and removes deleted Secrets from the list of their account.
 */
export function serviceAccountTokenController(options: ServiceAccountTokenControllerOptions): Controller {
  const { client, clock, dialect, informers, onError } = options;
  const names = {
    account: `${dialect.labelDomain}/service-account.name`,
    uid: `${dialect.labelDomain}/service-account.uid`,
  };
  const accountOf = ({ metadata: { namespace = '', annotations = {} } }: TokenSecret): string =>
    `${namespace}/${annotations[names.account] ?? ''}`;
  const accounts = informers.of(ServiceAccount);
  const secrets = new Informer<TokenSecret>({
    source: client.resource(Secret),
    clock,
    fieldSelector: `type=${dialect.secretTypes.serviceAccountToken}`,
    indexes: { byAccount: (secret) => [accountOf(secret)] },
    onError,
  });
  const failed = (_key: unknown, error: unknown): void => onError(error);
  const queue = new WorkQueue<string>({ name: 'serviceaccount_tokens_secret', clock, process, onError: failed });
  const references = new WorkQueue<string>({
    name: 'serviceaccount_tokens_secret',
    clock,
    process: removeReference,
    onError: failed,
  });

  const enqueue = (secret: TokenSecret): void => void queue.add(objectKey(secret));
  secrets.subscribe({
    added: enqueue,
    updated: enqueue,
    deleted: (secret) => void references.add(`${accountOf(secret)}/${secret.metadata.name ?? ''}`),
  });
  const enqueueSecrets = (account: Account): void => {
    for (const secret of secrets.find('byAccount', objectKey(account))) enqueue(secret);
  };
  accounts.subscribe({ added: enqueueSecrets, updated: enqueueSecrets, deleted: enqueueSecrets });

  /** Returns the account that a Secret names. The cache may be older than the Secret. */
  async function findAccount(secret: TokenSecret): Promise<Account | undefined> {
    const { namespace = '', annotations = {} } = secret.metadata;
    const uid = annotations[names.uid] ?? '';
    const matches = (account: Account | undefined): account is Account =>
      account !== undefined && (uid === '' || account.metadata.uid === uid);
    const known = accounts.get(accountOf(secret));
    if (matches(known)) return known;
    const name = annotations[names.account] ?? '';
    if (name === '') return undefined;
    const current = await found(client.resource(ServiceAccount).namespace(namespace).get(name));
    return matches(current) ? current : undefined;
  }

  async function process(key: string): Promise<void> {
    const secret = secrets.get(key);
    if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return;
    const account = await findAccount(secret);
    if (account === undefined) await remove(secret);
    else if (Object.keys(missingEntries(secret)).length > 0 || missesToken(secret)) await fill(secret, account);
  }

  /** Returns the entries besides the token that a Secret lacks. */
  function missingEntries({ metadata: { namespace = '' }, data = {} }: TokenSecret): Entries {
    const authority = options.certificateAuthority?.();
    const certificate = authority === undefined ? undefined : encodeBase64Text(authority);
    return {
      ...(certificate !== undefined && data['ca.crt'] !== certificate ? { 'ca.crt': certificate } : {}),
      ...((data['namespace'] ?? '') === '' ? { namespace: encodeBase64Text(namespace) } : {}),
    };
  }

  const missesToken = ({ data = {} }: TokenSecret): boolean => (data['token'] ?? '') === '';

  async function fill({ metadata: { namespace = '', name = '' } }: TokenSecret, account: Account): Promise<void> {
    const inNamespace = client.resource(Secret).namespace(namespace);
    const { name: accountName = '', uid = '' } = account.metadata;
    await retryOnConflict(async () => {
      const current = await found(inNamespace.get(name));
      if (current === undefined) return;
      const token = missesToken(current)
        ? {
            token: encodeBase64Text(
              await options.sign({ namespace, serviceAccount: { name: accountName, uid }, secretName: name }),
            ),
          }
        : {};
      const { metadata, data } = current;
      await inNamespace.update({
        ...current,
        metadata: {
          ...metadata,
          annotations: { ...metadata.annotations, [names.account]: accountName, [names.uid]: uid },
        },
        data: { ...data, ...missingEntries(current), ...token },
      });
    });
  }

  async function remove({ metadata: { namespace = '', name = '', uid } }: TokenSecret): Promise<void> {
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    try {
      await client.resource(Secret).namespace(namespace).delete(name, preconditions);
    } catch (error) {
      // Another request has deleted or replaced the Secret: a replacement is enqueued by its event.
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
    }
  }

  /** Removes a deleted Secret from the list of its account. */
  async function removeReference(key: string): Promise<void> {
    const [namespace = '', accountName = '', secretName = ''] = key.split('/');
    if (accountName === '' || secrets.get(`${namespace}/${secretName}`) !== undefined) return;
    const inNamespace = client.resource(ServiceAccount).namespace(namespace);
    await retryOnConflict(async () => {
      const account = await found(inNamespace.get(accountName));
      const kept = account?.secrets?.filter(({ name }) => name !== secretName);
      if (account === undefined || kept?.length === account.secrets?.length) return;
      await inNamespace.update({ ...account, secrets: kept });
    });
  }

  return { name: 'serviceaccount-token', informers: () => [accounts, secrets], queues: [queue, references] };
}

/** Returns an object, or undefined when it does not exist. */
async function found<Item>(reading: Promise<Item>): Promise<Item | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}
