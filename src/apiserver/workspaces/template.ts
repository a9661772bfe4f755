/**
 * Templates: the default objects of new workspaces, which all workspaces share.
 *
 * @module
 */
import {
  decodeBase64Url,
  encodeHex,
  isJsonObject,
  OBJECT_KEYS,
  parsedJson,
  stringOrEmpty,
  uuidOf,
  type Clock,
  type Entropy,
} from '../../foundation/index.js';
import { tokenDigest } from '../../security/index.js';
import {
  baseRecord,
  BaseRecords,
  restamped,
  StorageError,
  type Storage,
  type StorageRecord,
  type ValueEncoder,
} from '../../storage/index.js';
import { ApiServer } from '../api-server.js';
import { controllerNames } from '../controllers/controller-names.js';
import type { ServerSnapshot } from '../storage/server-snapshot.js';
import { SEED, TEMPLATE_MARKS, templatePrefix } from './keys.js';
import { workspaceLimits, type WorkspaceServerOptions } from './options.js';

/** Number of records that are read at a time. */
const PAGE = 500;

/** The state that the servers of new workspaces begin with. */
export interface Template {
  readonly id: string;
  /** Its kinds, in their compiled form. Its storage is not used. */
  readonly snapshot: ServerSnapshot;
  /** The default objects. */
  readonly base: BaseRecords;
}

/** The templates of a store. */
export class Templates {
  readonly #storage: Storage;
  readonly #bases = new Map<string, Promise<BaseRecords>>();
  #current: { readonly template: Template; readonly server: ApiServer } | undefined;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** The template of new workspaces. @throws Error before {@link start} */
  get current(): Template {
    if (this.#current === undefined) throw new Error('the template of the workspaces has not been made');
    return this.#current.template;
  }

  /**
   * Makes the template of this program and its options. A store always gives it the same uids and times, so it equals the
   * template that earlier runs have stored, unless they had other default objects.
   *
   * @throws StorageError when the storage fails; TypeError for invalid options
   */
  async start(options: WorkspaceServerOptions, clock: Clock, entropy: Entropy): Promise<void> {
    const { seed, madeMs } = await this.#seed(clock, entropy);
    const server = new ApiServer({
      ...options,
      limits: workspaceLimits(options.limits),
      // Only the servers of workspaces run controllers and report.
      ...{ controllers: { disable: [...controllerNames] }, observability: { logger: options.observability?.logger } },
      ...{ clock: stoppedClock(madeMs), entropy: repeatedEntropy(seed) },
    });
    await server.explain('system:anonymous', 'get', '/healthz');
    const snapshot = await server.snapshot();
    const { records } = await snapshot.storage.list(OBJECT_KEYS);
    const shared = records.map(({ key, text }) => baseRecord(key, text));
    const id = tokenDigest(shared.map(({ key, text }) => `${key}\n${text}\n`).join(''));
    await this.#store(id, shared);
    const base = new BaseRecords(shared);
    this.#bases.set(id, Promise.resolve(base));
    this.#current = { template: { id, snapshot, base }, server };
  }

  /**
   * Returns the default objects of a template, which another version of the program may have stored.
   *
   * @throws StorageError when the storage fails
   */
  base(id: string): Promise<BaseRecords> {
    let base = this.#bases.get(id);
    if (base === undefined) {
      base = this.#read(id);
      this.#bases.set(id, base);
      base.catch(() => this.#bases.delete(id));
    }
    return base;
  }

  async close(): Promise<void> {
    await this.#current?.server.close();
  }

  async #read(id: string): Promise<BaseRecords> {
    const prefix = templatePrefix(id);
    const records: StorageRecord[] = [];
    for (let after: string | undefined; ;) {
      const page = await this.#storage.list(`${prefix}/`, { limit: PAGE, after });
      for (const { key, text } of page.records) records.push(baseRecord(key.slice(prefix.length), text));
      after = page.records.at(-1)?.key;
      if (page.remaining === 0 || after === undefined) return new BaseRecords(records);
    }
  }

  /** Stores a template before the first workspace that needs it. */
  async #store(id: string, records: readonly StorageRecord[]): Promise<void> {
    const mark = TEMPLATE_MARKS + id;
    if ((await this.#storage.get(mark)).record !== undefined) return;
    for (const { key, text } of records)
      await this.#createOnce(templatePrefix(id) + key, (revision) => restamped(text, revision));
    await this.#createOnce(mark, () => JSON.stringify({ kind: 'WorkspaceTemplate', objects: records.length }));
  }

  /** Creates a record unless another process has. */
  async #createOnce(key: string, encode: ValueEncoder): Promise<StorageRecord | undefined> {
    try {
      return await this.#storage.create(key, encode);
    } catch (error) {
      if (error instanceof StorageError && error.code === 'KeyExists') return error.current;
      throw error;
    }
  }

  async #seed(clock: Clock, entropy: Entropy): Promise<{ readonly seed: string; readonly madeMs: number }> {
    const made = { kind: 'WorkspaceSeed', seed: encodeHex(entropy.bytes(16)), madeMs: clock.now() };
    const { record } = await this.#storage.get(SEED);
    const stored = record ?? (await this.#createOnce(SEED, () => JSON.stringify(made)));
    const value = parsedJson(stored?.text ?? '');
    const madeMs = isJsonObject(value) ? value['madeMs'] : undefined;
    if (!isJsonObject(value) || typeof madeMs !== 'number')
      throw new Error(`the record of the store at ${SEED} cannot be read`);
    return { seed: stringOrEmpty(value['seed']), madeMs };
  }
}

/** A clock whose time does not pass. */
const stoppedClock = (nowMs: number): Clock => ({ now: () => nowMs, after: () => ({ cancel: () => undefined }) });

/** Returns randomness that is the same for the same seed. */
function repeatedEntropy(seed: string): Entropy {
  let draws = 0;
  const bytes = (length: number): Uint8Array => {
    const drawn = new Uint8Array(length);
    for (let at = 0; at < length;) {
      const block = decodeBase64Url(tokenDigest(`${seed}/${(draws += 1)}`));
      if (block === undefined) throw new Error('a digest is base64url');
      const used = block.subarray(0, length - at);
      drawn.set(used, at);
      at += used.length;
    }
    return drawn;
  };
  return { bytes, uuid: () => uuidOf(bytes(16)) };
}
